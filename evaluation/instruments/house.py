"""What reports need of the questions of the house, which each version has to keep."""

from django.utils.translation import gettext as _

from evaluation.instruments.builtin import BUILT_IN
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.error_analysis import ERROR
from evaluation.instruments.parts import Code, Question

HOUSE = {declared.slug: declared for declared in BUILT_IN}
NEEDED = {
    "state-inference": ("inferable",),
    "story-revision": ("inferable", "logical", "degree"),
    "story-revision-five": ("inferable", "logical", "degree"),
    "state-change": ("attribute", "inferable_s", "inferable_s_prime", "in_story"),
    "story-revision-errors": (ERROR,),
    "state-change-errors": (ERROR,),
}


class ReportsNeed(Exception):
    """A version without something that the reports on its instrument need; the text says what."""


def check_kept(declared: Declaration) -> None:
    """Raises ReportsNeed."""
    given = {question.slug: question for question in declared.questions}
    for slug in NEEDED.get(declared.slug, ()):
        if slug not in given:
            raise ReportsNeed(_("Reports need the question “%(slug)s”.") % {"slug": slug})
        _check(given[slug], HOUSE[declared.slug].question(slug))


def _check(given: Question, known: Question) -> None:
    named = {"slug": given.slug, "kind": known.kind, "code": _first(known)}
    if given.kind is not known.kind:
        raise ReportsNeed(_("Reports need “%(slug)s” to be of the kind %(kind)s.") % named)
    if given.condition is not None:
        raise ReportsNeed(_("Reports need “%(slug)s” to be asked without a condition.") % named)
    if known.threshold is not None and given.threshold is None:
        raise ReportsNeed(_("Reports need a threshold of “%(slug)s”.") % named)
    if _first(given) != _first(known):
        raise ReportsNeed(_("Reports need “%(slug)s” to begin with the code %(code)s.") % named)


def _first(question: Question) -> Code:
    """The lowest number, else what stands first."""
    numbers = [code for code in question.codes if isinstance(code, int)]
    return min(numbers) if numbers else question.codes[0]
