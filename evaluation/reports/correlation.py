"""How far automatic metrics go together with what people find valid."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.instruments.declaration import Declaration
from evaluation.reports import automatic, state_change, story_revision
from evaluation.reports.rows import Items
from evaluation.reports.texts import CHANGE

if TYPE_CHECKING:
    from stats.correlation import Correlation

VALIDITY = "all"


@dataclass(frozen=True)
class CorrelationLine:
    """A metric with validity, over the items of all chosen systems, by coefficient."""

    metric: str
    title: str
    found: Mapping[str, "Correlation"]

    def as_dicts(self) -> list[dict[str, Any]]:
        """One for each coefficient."""
        return [
            {
                "metric": self.metric,
                "against": VALIDITY,
                "coefficient": name,
                "value": one.value,
                "p_value": one.p_value,
                "ci_low": one.ci_low,
                "ci_high": one.ci_high,
                "n": one.n,
                **({"undefined": one.undefined_reason} if one.undefined_reason else {}),
            }
            for name, one in self.found.items()
        ]


def correlation_lines(items: Items, declared: Declaration, rule: str) -> list[CorrelationLine]:
    """Raises ReportRefused."""
    # Slow to import, and most commands have no use for it.
    from stats.correlation import pearson, spearman

    valid = _validity(items, declared, rule)
    people = [valid[item.pk] for item in items]
    scored = [automatic.item_scores(item) for item in items]
    lines = []
    known = automatic.of_all(items)
    for metric in (one for one in automatic.METRICS if one.slug in known):
        values = [scores[metric.slug].value for scores in scored]
        found = {"pearson": pearson(values, people), "spearman": spearman(values, people)}
        lines.append(CorrelationLine(metric.slug, str(metric.title), found))
    return lines


def _validity(items: Items, declared: Declaration, rule: str) -> Mapping[int, float]:
    """The `all` score of each item; of an output with two states, of each."""
    if declared.slug == CHANGE:
        return {i.pk: state_change.score_state(i, declared, rule)[VALIDITY] for i in items}
    return {
        score.items[0]: score.value
        for score in story_revision.scores(items, declared, rule)
        if score.metric == VALIDITY
    }
