"""Pools that all experts judge, to see how far they agree."""

import random
from collections import defaultdict
from typing import Any

from django.db import transaction

from annotation.models import Pool, ReviewPlan
from annotation.review.counted import counted_contributions
from annotation.review.outcome import Outcome
from annotation.review.outcomes import settled_by_contribution


class TooFewSettled(Exception):
    """There are not as many settled contributions as the pool wants; `found` says how many."""

    def __init__(self, found: int) -> None:
        super().__init__(found)
        self.found = found


@transaction.atomic
def draw_pool(*, plan: ReviewPlan, size: int, seed: int, user: Any = None) -> Pool:
    """`size` settled contributions, as many of each outcome as its share of them all.

    Raises TooFewSettled.
    """
    counted = set(counted_contributions(plan).values_list("pk", flat=True))
    strata: dict[Outcome, list[int]] = defaultdict(list)
    for pk, settled in settled_by_contribution(plan).items():
        if settled.outcome in (Outcome.CORRECT, Outcome.REJECTED) and pk in counted:
            strata[settled.outcome].append(pk)
    found = sum(map(len, strata.values()))
    if size < 1 or found < size:
        raise TooFewSettled(found)
    sizes = share_out(size, {outcome.value: len(ids) for outcome, ids in strata.items()})
    draw = random.Random(seed)
    chosen = [
        pk
        for outcome, ids in sorted(strata.items(), key=lambda item: item[0].value)
        for pk in draw.sample(sorted(ids), sizes[outcome.value])
    ]
    pool = Pool.objects.create(plan=plan, size=size, seed=seed, drawn_by=user)
    pool.contributions.set(chosen)
    return pool


def share_out(size: int, strata: dict[str, int]) -> dict[str, int]:
    """`size` divided in proportion, the largest remainders rounded up; ties by name."""
    whole = sum(strata.values())
    shares = {name: size * count // whole for name, count in strata.items()}
    rest = sorted(strata, key=lambda name: (-(size * strata[name] % whole), name))
    for name in rest[: size - sum(shares.values())]:
        shares[name] += 1
    return shares
