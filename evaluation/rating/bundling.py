"""Outputs into the tasks of a round: sampled, paired, put together, named by chance."""

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from typing import Any

from django.utils.translation import gettext as _

from evaluation.instruments.parts import FIRST, SECOND
from evaluation.rating.fields import OUTPUT
from evaluation.rating.outputs import BadItems, Output

MOST_ITEMS = 40


@dataclass(frozen=True)
class NewItem:
    """An item to be rated. `token` is its name on the page and says nothing of it."""

    system: str
    key: str
    fields: Mapping[str, Any]
    source: str
    group: str
    part: str
    gold: Mapping[str, int]
    authors: frozenset[int]
    rival: str = ""
    token: str = ""
    is_gold: bool = False


@dataclass(frozen=True)
class Bundle:
    """The items that a rater meets on one page."""

    items: Sequence[NewItem] = field(default_factory=tuple)

    @property
    def authors(self) -> frozenset[int]:
        return frozenset[int]().union(*(item.authors for item in self.items))


def sampled(outputs: Sequence[Output], count: int | None, seed: int) -> list[Output]:
    """All outputs of so many sources. Raises BadItems where there are fewer."""
    if count is None:
        return list(outputs)
    sources = sorted({one.source for one in outputs})
    if count > len(sources):
        raise BadItems(
            _("There are %(there)s sources, fewer than the sample of %(count)s.")
            % {"there": f"{len(sources):,}", "count": f"{count:,}"}
        )
    chosen = set(random.Random(f"{seed}:sample").sample(sources, count))
    return [one for one in outputs if one.source in chosen]


def items_of(outputs: Iterable[Output], *, pairwise: bool) -> list[NewItem]:
    """One for each output, or one for each two systems' outputs for the same input.

    Raises BadItems.
    """
    if not pairwise:
        return [NewItem(**vars(one)) for one in outputs]
    items = [
        _pair(one, other)
        for same in _grouped(outputs, lambda one: one.key)
        for one, other in combinations(sorted(same, key=lambda one: one.system), 2)
    ]
    if not items:
        raise BadItems(_("No two systems have outputs for the same input."))
    return items


def bundles_of(items: Sequence[NewItem], *, same_raters: bool, seed: int) -> list[Bundle]:
    """What all systems made of one input stands on one page; with `same_raters`, all of a source.

    Raises BadItems where that is too much for one.
    """
    draw = random.Random(f"{seed}:tokens")
    found = _grouped(items, lambda item: item.source if same_raters else item.key)
    most = max(map(len, found), default=0)
    if most > MOST_ITEMS:
        raise BadItems(
            _("One page would show %(items)s items, and %(most)s are the most.")
            % {"items": most, "most": MOST_ITEMS}
        )
    return [_bundle(one, draw) for one in found]


def gold_bundles(
    gold: Sequence[NewItem], bundles: Sequence[Bundle], *, share: Decimal, seed: int
) -> list[Bundle]:
    """So many tasks of gold items, in proportion to the others, that each looks like most others.

    Gold items are taken in turns, in an order drawn by chance.
    """
    count = max(1, round(len(bundles) * share)) if share else 0
    if not gold or not count:
        return []
    draw = random.Random(f"{seed}:gold")
    order = draw.sample(gold, len(gold))
    usual = Counter(len(one.items) for one in bundles).most_common(1)[0][0]
    size = min(usual, len(order))
    taken = [order[n % len(order)] for n in range(count * size)]
    return [_bundle(taken[n : n + size], draw, is_gold=True) for n in range(0, len(taken), size)]


def mixed(bundles: Sequence[Bundle], gold: Sequence[Bundle], seed: int) -> list[Bundle]:
    """Gold tasks at places drawn by chance; the others in their order."""
    draw = random.Random(f"{seed}:mix")
    places = set(draw.sample(range(len(bundles) + len(gold)), len(gold)))
    rest, golden = iter(bundles), iter(gold)
    return [next(golden if n in places else rest) for n in range(len(bundles) + len(gold))]


def _pair(one: Output, other: Output) -> NewItem:
    shared = {name: value for name, value in one.fields.items() if name != OUTPUT}
    if shared != {name: value for name, value in other.fields.items() if name != OUTPUT}:
        raise BadItems(
            _("The systems “%(one)s” and “%(other)s” show different things for “%(key)s”.")
            % {"one": one.system, "other": other.system, "key": one.key}
        )
    given = vars(one) | {
        "fields": {**shared, FIRST: one.fields[OUTPUT], SECOND: other.fields[OUTPUT]},
        "authors": one.authors | other.authors,
    }
    return NewItem(**given, rival=other.system)


def _bundle(items: Sequence[NewItem], draw: random.Random, *, is_gold: bool = False) -> Bundle:
    """In an order drawn by chance, as the order of systems would tell one from the other."""
    tokens: dict[str, None] = {}
    while len(tokens) < len(items):
        tokens[f"{draw.getrandbits(32):08x}"] = None
    shuffled = draw.sample(items, len(items))
    return Bundle(
        [
            NewItem(**vars(item) | {"token": token, "is_gold": is_gold})
            for item, token in zip(shuffled, tokens, strict=True)
        ]
    )


def _grouped(rows: Iterable[Any], key: Any) -> list[list[Any]]:
    found: dict[Hashable, list[Any]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return list(found.values())


def by_system(items: Iterable[NewItem]) -> Iterator[tuple[str, int]]:
    """How many items show an output of each system."""
    counts = Counter(name for item in items for name in (item.system, item.rival) if name)
    return iter(sorted(counts.items()))
