"""What a task has to say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from modeling.instances import Instance
from modeling.metrics.share import Share

Fields = Mapping[str, Any]
# By part of an output: its text, and the reference's.
Texts = Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class Scored:
    """What was made of an output.

    `shares` has, for each part of the output that is judged by itself, its metrics; `read` what was
    understood, by field of the instruments; `problems` what could not be, or was left out.
    """

    shares: Mapping[str, Mapping[str, Share]]
    read: Mapping[str, Any]
    problems: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        shares = {part: {m: list(s) for m, s in by.items()} for part, by in self.shares.items()}
        return {"shares": shares, "read": dict(self.read), "problems": dict(self.problems)}

    def having(self, metric: str, values: Mapping[str, float]) -> "Scored":
        """With one more metric, by part: one that could not be computed here."""
        shares = {
            part: {**by, metric: Share(values[part])} if part in values else by
            for part, by in self.shares.items()
        }
        return replace(self, shares=shares)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        shares = {
            part: {metric: Share(*share) for metric, share in by.items()}
            for part, by in stored["shares"].items()
        }
        return cls(shares, stored["read"], stored["problems"])


@dataclass(frozen=True)
class ModelTask:
    """`instances` makes a tuple's instances, taking only the tuple unless `has_variants`; `score`
    judges an output by the instance's fields and target, and `texts` gives what of the two is
    compared, where texts are."""

    slug: str
    instances: Callable[..., list[Instance]]
    score: Callable[[Fields, str, str], Scored]
    metrics: tuple[str, ...]
    texts: Callable[[Fields, str, str], Texts] | None = None
    has_variants: bool = False
