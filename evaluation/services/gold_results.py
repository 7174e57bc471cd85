"""How each rater of a round answers what there is a right answer to."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Code
from evaluation.models import Rating
from evaluation.reports.votes import is_yes
from studies.models import ResponseState, Round
from studies.withdrawn import is_withdrawn

STANDS = Q(
    ~is_withdrawn("response"),
    response__state__in=[ResponseState.SUBMITTED, ResponseState.CONFIRMED],
)


@dataclass
class RaterResult:
    """`known` answers there is a right one to, and of these, those about gold items."""

    participant: str
    known: int = 0
    right: int = 0
    gold: int = 0
    gold_right: int = 0

    def add(self, right: bool, *, is_gold: bool) -> None:
        self.known += 1
        self.right += right
        self.gold += is_gold
        self.gold_right += is_gold and right


def rater_results(round: Round) -> list[RaterResult]:
    """Who is most often wrong comes first."""
    rated = Rating.objects.filter(STANDS, item__task__round=round).exclude(item__gold={})
    rows = rated.select_related("item__instrument", "rater").order_by("rater_id", "pk")
    found: dict[str, RaterResult] = defaultdict(lambda: RaterResult(""))
    declared = {}
    for rating in rows:
        instrument = rating.item.instrument
        if instrument.pk not in declared:
            declared[instrument.pk] = instrument.declared
        of_rater = found[rating.rater.pseudonym]
        of_rater.participant = rating.rater.pseudonym
        for right in judged(declared[instrument.pk], rating.item.gold, rating.answers):
            of_rater.add(right, is_gold=rating.item.is_gold)
    return sorted(found.values(), key=lambda one: (one.right / max(one.known, 1), one.participant))


def judged(
    declared: Declaration, gold: Mapping[str, Code], answers: Mapping[str, Code]
) -> list[bool]:
    """Whether each answer with a right one is right; where a question has a threshold, whether it
    is on the right side of it."""
    return [
        _is_right(declared, slug, gold[slug], answers[slug]) for slug in gold if slug in answers
    ]


def _is_right(declared: Declaration, slug: str, right: Code, given: Code) -> bool:
    question = declared.question(slug)
    if question.threshold is None:
        return given == right
    return is_yes(question, given) == bool(right)
