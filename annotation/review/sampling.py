"""How much of a worker's work experts review, and which of it."""

import math
import random
from collections.abc import Sequence, Set
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class SamplingRule:
    """At least e = min(share * n, slower_share * n + slower_plus, most) of n, rounded up.

    With the values given here: 0.3 n below 100, 0.2 n + 10 from 100 on, 40 from 150 on.
    """

    share: Decimal = Decimal("0.3")
    slower_share: Decimal = Decimal("0.2")
    slower_plus: int = 10
    most: int = 40

    def required(self, n: int) -> int:
        asked = min(self.share * n, self.slower_share * n + self.slower_plus, Decimal(self.most))
        return min(n, math.ceil(asked))


def draw_sample(
    ids: Sequence[int],
    *,
    picked: Set[int],
    required: int,
    seed: str,
    fresh: Set[int] = frozenset(),
) -> list[int]:
    """What tops `picked` up to `required` of `ids`, in the order drawn: uniformly among the `fresh`
    ones, which no earlier drawing could pick, then among the rest.

    Drawn among all of the rest, early work would be looked at again with each topping up, and late
    work hardly ever. The same arguments draw the same, in whatever order the ids come.
    """
    draw = random.Random(seed)
    rest = sorted(set(ids) - picked)
    missing = max(0, required - len(picked))
    drawn: list[int] = []
    for among in ([one for one in rest if one in fresh], [one for one in rest if one not in fresh]):
        drawn += draw.sample(among, min(missing - len(drawn), len(among)))
    return drawn


def draw_doubles(
    picks: Sequence[int], *, before: int, doubled: int, share: Decimal, seed: str
) -> set[int]:
    """Which of these new picks two experts judge, so that the share of all picks holds.

    `before` picks were drawn earlier, `doubled` of them for two experts.
    """
    wanted = round(share * (before + len(picks))) - doubled
    return set(random.Random(seed).sample(sorted(picks), max(0, min(wanted, len(picks)))))
