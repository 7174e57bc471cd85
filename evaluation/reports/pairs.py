"""Pairs of systems the same way round, whichever of the two each item names first."""

from dataclasses import replace

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Kind
from evaluation.rating.arranging import OTHER
from evaluation.reports.rows import Items, RatedItem

Pair = tuple[str, str]


def one_way_round(items: Items, declared: Declaration) -> list[RatedItem]:
    """Every pair as the item that came first has it; of the others the answers are turned, too.

    What is turned takes its place among those of its pair that are not.
    """
    first: dict[frozenset[str], Pair] = {}
    for item in sorted(items, key=lambda item: item.pk):
        first.setdefault(frozenset(_pair(item)), _pair(item))
    questions = {one.slug for one in declared.questions if one.kind is Kind.PAIRWISE}
    places: dict[Pair, int] = {}
    for item in items:
        if first[frozenset(_pair(item))] == _pair(item):
            places.setdefault(_pair(item), len(places))
    found = [item if _pair(item) in places else _turned(item, questions) for item in items]
    return sorted(found, key=lambda item: places[_pair(item)])


def _pair(item: RatedItem) -> Pair:
    return item.system, item.rival


def _turned(item: RatedItem, questions: set[str]) -> RatedItem:
    """As if the two had been named the other way round."""
    ratings = tuple(
        replace(
            given,
            answers={
                slug: OTHER.get(str(code), code) if slug in questions else code
                for slug, code in given.answers.items()
            },
        )
        for given in item.ratings
    )
    return replace(item, system=item.rival, rival=item.system, ratings=ratings)
