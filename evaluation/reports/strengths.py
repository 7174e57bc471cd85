"""Systems on one scale, from which of two raters preferred."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import EQUALLY_BAD, EQUALLY_GOOD, FIRST, SECOND, Kind
from evaluation.reports.rows import Items

STRENGTH = "strength"


@dataclass(frozen=True)
class StrengthLine:
    """A system's strength by one question, in log odds around a mean of 0, with its 95% interval.

    Without a value, `undefined` says why. `n` is of comparisons.
    """

    question: str
    system: str
    n: int
    value: float | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    undefined: str = ""

    def as_dict(self) -> dict[str, Any]:
        told = {
            "system": self.system,
            "question": self.question,
            "metric": STRENGTH,
            "value": self.value,
            "n": self.n,
            "se": self.se,
            "ci_low": self.ci_low,
            "ci_high": self.ci_high,
        }
        return told | ({"undefined": self.undefined} if self.undefined else {})


def strength_lines(items: Items, declared: Declaration) -> Iterator[StrengthLine]:
    """Bradley and Terry's, question by question, intervals clustered by the items' sources."""
    # Slow to import, and most commands have no use for it.
    from stats.preferences import Comparison, Verdict, bradley_terry

    verdicts = {
        FIRST: Verdict.FIRST,
        SECOND: Verdict.SECOND,
        EQUALLY_GOOD: Verdict.BOTH_GOOD,
        EQUALLY_BAD: Verdict.BOTH_BAD,
    }
    pairs = [item for item in items if item.rival]
    names = sorted({name for item in pairs for name in (item.system, item.rival)})
    for question in declared.questions:
        if question.kind is not Kind.PAIRWISE:
            continue
        ranking = bradley_terry(
            [
                Comparison(item.group or item.pk, item.system, item.rival, verdicts[str(code)])
                for item in pairs
                for code in item.codes(question.slug)
            ]
        )
        n = ranking.n_comparisons
        for one in ranking.strengths:
            interval = (one.value, one.se, one.ci_low, one.ci_high)
            yield StrengthLine(question.slug, one.system, n, *interval)
        if not ranking.strengths and n:
            for name in names:
                yield StrengthLine(question.slug, name, n, undefined=ranking.undefined_reason)
