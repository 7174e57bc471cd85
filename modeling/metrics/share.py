"""What one output scores: a part of a whole, so that several can be added up."""

from collections.abc import Iterable
from typing import NamedTuple


class Share(NamedTuple):
    """Over several outputs the mean is all parts by all wholes. Where every whole is 1, as for
    accuracy and ROUGE, that is the usual mean; for GLEU it is the corpus's."""

    part: float
    whole: float = 1.0

    @property
    def value(self) -> float:
        """Of this output alone. Nothing of nothing is 0."""
        return self.part / self.whole if self.whole else 0.0


def added(shares: Iterable[Share]) -> Share:
    parts, wholes = 0.0, 0.0
    for share in shares:
        parts, wholes = parts + share.part, wholes + share.whole
    return Share(parts, wholes)
