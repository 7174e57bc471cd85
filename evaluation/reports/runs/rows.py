"""Runs and their answers, as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeling.metrics.share import Share

USUAL = {"input": "marked", "partition": "both"}


@dataclass(frozen=True)
class Tried:
    """A cell of a run's grid of prompts: the mean score of `rows` validation rows, from 0 to 1, and
    whether it was the one that answered the test rows."""

    selection: str
    examples: int
    bertscore: float
    rows: int
    is_kept: bool


@dataclass(frozen=True)
class Family:
    """Runs that differ in their seed alone, by one name. `input` and `partition` are what they
    learnt from, `runs` their keys; `tried` has the grids of all of them."""

    system: str
    task: str
    input: str
    partition: str
    runs: tuple[int, ...]
    tried: tuple[Tried, ...] = ()

    def label(self, *told: str) -> str:
        """The system; with its input and partition where these are unusual and not told beside."""
        known = {name: getattr(self, name) for name in USUAL if name not in told}
        return ", ".join([self.system, *(v for name, v in known.items() if v != USUAL[name])])


@dataclass(frozen=True)
class Answer:
    """What one output scored: by its parts, then by metric. `is_rated` says whether people rated
    outputs for the same input, `state_type` of what type experts found the state."""

    run: int
    tuple_key: str
    part: str
    shares: Mapping[str, Mapping[str, Share]]
    is_rated: bool = False
    state_type: str = ""


Answers = Sequence[Answer]
