"""What several raters say together."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from evaluation.instruments.parts import Code, Question
from evaluation.reports.rows import RatedItem
from evaluation.reports.scores import ReportRefused


def answers(item: RatedItem, question: Question) -> list[Code]:
    """At least one. Raises ReportRefused, also for one that is not on the scale."""
    codes = item.codes(question.slug)
    named = {"item": item.pk, "question": question.slug}
    if not codes:
        raise ReportRefused(_("Nobody was asked “%(question)s” about item %(item)s.") % named)
    if not set(codes) <= set(question.codes):
        raise ReportRefused(
            _("An answer to “%(question)s” about item %(item)s is not on its scale.") % named
        )
    return codes


def says_yes(item: RatedItem, question: Question) -> list[bool]:
    """Who finds it so. Raises ReportRefused."""
    if question.threshold is None:
        raise ReportRefused(
            _("“%(question)s” has no threshold that says what counts as yes.")
            % {"question": question.slug}
        )
    return [is_yes(question, code) for code in answers(item, question)]


def is_yes(question: Question, code: Code) -> bool:
    """At the question's threshold or above."""
    assert question.threshold is not None
    return int(code) >= question.threshold


def majority(votes: Sequence[bool]) -> bool:
    """More than half of them; a tie is none."""
    return 2 * sum(votes) > len(votes)


def share(votes: Sequence[bool]) -> float:
    return sum(votes) / len(votes)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
