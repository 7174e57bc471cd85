"""What can be wrong with a file of results; every text names the row or the column."""

from django.utils.translation import gettext as _


class BadResults(ValueError):
    """The file cannot be imported as it is. Nothing of it is stored."""


class NotReadable(BadResults):
    """No table, or not in UTF-8."""


class BadMap(BadResults):
    """The file that maps columns to questions says something that cannot be followed."""


class ColumnMissing(BadResults):
    pass


class ColumnTwice(BadResults):
    pass


class OptionsDiffer(BadResults):
    """The columns of a question are not as many as its options, or do not count on from 0 or 1."""


class UnknownReversal(BadResults):
    pass


class RivalNeeded(BadResults):
    """Pairs were rated, of two systems."""


class NoPairs(BadResults):
    """A second system, or sides, with an instrument that compares nothing."""


class BadRow(BadResults):
    """`row` counts as a spreadsheet does: the names of the columns are row 1."""

    def __init__(self, row: int, what: str, **values: object) -> None:
        text = {"row": f"{row:,}", "what": what % values}
        super().__init__(_("Row %(row)s: %(what)s") % text)
        self.row = row


class BadLength(BadRow):
    pass


class NothingChosen(BadRow):
    pass


class TwoChosen(BadRow):
    pass


class NotTrueOrFalse(BadRow):
    pass


class BadTime(BadRow):
    pass


class CellEmpty(BadRow):
    pass


class CellTooLong(BadRow):
    pass


class UnknownGold(BadRow):
    pass


class UnknownSide(BadRow):
    """On a side stands a system that is none of the two."""


class SidesContradict(BadRow):
    pass


class RatingTwice(BadRow):
    """Two rows have the same id."""


class RatedTwice(BadRow):
    """One worker has two ratings of an item."""


class ItemDiffers(BadRow):
    """Rows of one item show different things."""
