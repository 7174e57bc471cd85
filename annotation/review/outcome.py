"""What stands for a contribution, given what experts said of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from annotation.models import Judgement, ReviewSource


class Given(Protocol):
    """What counts of a verdict."""

    @property
    def source(self) -> str: ...

    @property
    def judgement(self) -> str: ...

    @property
    def replaced_at(self) -> datetime | None: ...


class Outcome(StrEnum):
    """OPEN: experts are still to judge. DISPUTED: two judged it differently, nobody settled it."""

    OPEN = "open"
    CORRECT = "correct"
    REJECTED = "rejected"
    DISPUTED = "disputed"


@dataclass(frozen=True)
class Settled:
    """`sampled`: the outcome counts for the worker's rate; else only for the contribution."""

    outcome: Outcome
    sampled: bool


OUTCOMES = {Judgement.CORRECT: Outcome.CORRECT, Judgement.REJECT: Outcome.REJECTED}


def settle(verdicts: Iterable[Given], *, experts: int) -> Settled:
    """What stands, from all verdicts on one contribution; replaced ones count for nothing.

    `experts` is how many the sample asks for: 0 where the contribution is not in it. An
    adjudication comes first, then the sample's verdicts, then those given outside it.
    """
    current = [one for one in verdicts if one.replaced_at is None]
    sampled = experts > 0
    if settled := _of(current, ReviewSource.ADJUDICATION):
        return Settled(_common(settled), sampled)
    seats = _of(current, ReviewSource.SAMPLE)
    if sampled:
        complete = len(seats) >= experts
        return Settled(_common(seats) if complete else Outcome.OPEN, True)
    return Settled(_common(_of(current, ReviewSource.SINGLE)), False)


def _of(verdicts: list[Given], source: ReviewSource) -> list[Given]:
    return [one for one in verdicts if one.source == source]


def _common(verdicts: list[Given]) -> Outcome:
    judgements = {Judgement(one.judgement) for one in verdicts}
    if not judgements:
        return Outcome.OPEN
    return OUTCOMES[judgements.pop()] if len(judgements) == 1 else Outcome.DISPUTED
