"""How far raters agree on each question, over the items of all chosen systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Code, Level, Question
from evaluation.reports.rows import Items
from evaluation.reports.scores import ReportRefused

if TYPE_CHECKING:
    from stats.agreement import Agreement

COEFFICIENT = "gwet_ac"
MEAN = "mean"
WEIGHTS = {
    Level.NOMINAL: "identity",
    Level.ORDINAL: "quadratic",
    Level.INTERVAL: "quadratic",
    Level.RATIO: "ratio",
}


@dataclass(frozen=True)
class AgreementLine:
    """Without a value, `undefined` says why. `found` is None for the mean."""

    question: str
    weights: str | None
    value: float | None
    se: float | None
    n_items: int
    undefined: str = ""
    found: "Agreement | None" = None

    def as_dict(self) -> dict[str, Any]:
        told = {
            "question": self.question,
            "coefficient": COEFFICIENT,
            "weights": self.weights,
            "value": self.value,
            "se": self.se,
            "n_items": self.n_items,
        }
        return told | ({"undefined": self.undefined} if self.undefined else {})


def agreement_lines(items: Items, declared: Declaration) -> list[AgreementLine]:
    """One for each question with codes, and their mean with the mean standard error.

    Raises ReportRefused.
    """
    questions = [question for question in declared.questions if question.is_closed]
    if not questions:
        raise ReportRefused(_("The instrument has no question with options."))
    lines = [_line(items, question) for question in questions]
    return [*lines, _mean(lines)]


def say_single_rated(lines: Sequence[AgreementLine]) -> str:
    """A sentence where items have one rating, else nothing."""
    with_error = [line.found for line in lines if line.found and line.se is not None]
    most = max((found.n_single_rated for found in with_error), default=0)
    if not most:
        return ""
    text = ngettext(
        "%(count)s item has a single rating: the published standard error, which this is, is too "
        "large with it.",
        "%(count)s items have a single rating: the published standard error, which this is, is too "
        "large with them.",
        most,
    )
    return text % {"count": f"{most:,}"}


def _line(items: Items, question: Question) -> AgreementLine:
    # Slow to import, and most commands have no use for it.
    from stats.agreement import gwet_ac
    from stats.long import TooManyCells, table_of
    from stats.ratings import OutOfScale
    from stats.weights import BadWeights

    weights = WEIGHTS[question.level]
    rows = list(_rows(items, question.slug))
    if not rows:
        return AgreementLine(question.slug, weights, None, None, 0, _("nobody was asked"))
    try:
        table = table_of(rows, categories=question.codes)
        found = gwet_ac(table.ratings, categories=question.codes, weights=weights)
    except (OutOfScale, TooManyCells, BadWeights) as error:
        raise ReportRefused(
            _("Question “%(question)s”: %(what)s") % {"question": question.slug, "what": error}
        ) from error
    return AgreementLine(
        question=question.slug,
        weights=weights,
        value=found.value,
        se=found.se,
        n_items=found.n_items,
        undefined=found.undefined_reason,
        found=found,
    )


def _rows(items: Items, question: str) -> Iterator[tuple[int, int, Code]]:
    """Item, rater and answer of those who were asked."""
    for item in items:
        for given in item.ratings:
            if question in given.answers:
                yield item.pk, given.rater, given.answers[question]


def _mean(lines: list[AgreementLine]) -> AgreementLine:
    values = [line.value for line in lines if line.value is not None]
    errors = [line.se for line in lines if line.se is not None]
    n_items = max(line.n_items for line in lines)
    if len(values) < len(lines):
        reason = _("the agreement on a question is undefined")
        return AgreementLine(MEAN, None, None, None, n_items, reason)
    error = sum(errors) / len(errors) if len(errors) == len(lines) else None
    return AgreementLine(MEAN, None, sum(values) / len(values), error, n_items)
