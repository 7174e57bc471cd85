"""From answers to numbers: a value over seeds, its interval over tuples."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.reports.runs.rows import Answer, Answers, Family
from modeling.instances.state_inference import REVISED
from modeling.metrics.contrast import ACCURACY, CONTRASTIVE, contrasts
from modeling.metrics.share import Share, added

SCALE = 100


@dataclass(frozen=True)
class Line:
    """A number of a family of runs, `system` in the table. `place` says in which column and row it
    stands.

    `value` is the mean over seeds and `sd` their standard deviation; the interval is of 95%, of
    resamples of the tuples. `n` outputs were scored in each run.
    """

    family: Family
    system: str
    place: dict[str, str]
    metric: str
    value: float
    sd: float | None
    interval: tuple[float, float] | None
    n: int

    def as_dict(self) -> dict[str, Any]:
        low, high = self.interval or (None, None)
        return {
            "task": self.family.task,
            "system": self.system,
            **self.place,
            "metric": self.metric,
            "value": self.value,
            "sd": self.sd,
            "seeds": len(self.family.runs),
            "ci_low": low,
            "ci_high": high,
            "n": self.n,
        }


def lines_of(
    family: Family, system: str, answers: Answers, metrics: Sequence[str], place: dict[str, str]
) -> Iterator[Line]:
    """One for each metric that the answers have."""
    # Slow to import, and most commands have no use for it.
    from stats.means import means, spread

    found = {metric: _by_run(answers, metric) for metric in metrics}
    found = {metric: by_run for metric, by_run in found.items() if by_run}
    if not found:
        return
    clusters = sorted(
        {cluster for by in found.values() for run in by.values() for cluster, _ in run}
    )
    parts, wholes = _tables(list(found.values()), clusters)
    for (metric, by_run), drawn in zip(
        found.items(), means(parts, wholes, clusters=clusters), strict=True
    ):
        shares = [[share for _cluster, share in run] for run in by_run.values()]
        over_seeds = spread([added(each).value for each in shares])
        assert over_seeds.mean is not None
        yield Line(
            family=family,
            system=system,
            place=place,
            metric=metric,
            value=SCALE * over_seeds.mean,
            sd=None if over_seeds.sd is None else SCALE * over_seeds.sd,
            interval=_scaled(drawn.ci_low, drawn.ci_high),
            n=max(map(len, shares)),
        )


Clustered = list[tuple[str, Share]]


def _by_run(answers: Answers, metric: str) -> dict[int, Clustered]:
    """Each run's shares, with the tuple that they are about."""
    runs: dict[int, list[Answer]] = defaultdict(list)
    for answer in answers:
        runs[answer.run].append(answer)
    found = {run: list(_shares(given, metric)) for run, given in runs.items()}
    return {run: shares for run, shares in found.items() if shares}


def _shares(answers: Answers, metric: str) -> Iterator[tuple[str, Share]]:
    if metric == CONTRASTIVE:
        rights = (
            ((one.tuple_key, one.part.startswith(REVISED)), bool(share.part))
            for one in answers
            for share in _of(one, ACCURACY)
        )
        yield from ((key, share) for (key, _story), share in contrasts(rights).items())
    else:
        yield from ((one.tuple_key, share) for one in answers for share in _of(one, metric))


def _of(answer: Answer, metric: str) -> Iterator[Share]:
    return (by[metric] for by in answer.shares.values() if metric in by)


def _tables(found: list[dict[int, Clustered]], clusters: list[str]) -> tuple[Any, Any]:
    """Parts and wholes, summed by cluster: a row for each, a column for each metric."""
    import numpy as np

    place = {cluster: row for row, cluster in enumerate(clusters)}
    sums = np.zeros((2, len(clusters), len(found)))
    for column, by_run in enumerate(found):
        for run in by_run.values():
            for cluster, share in run:
                sums[:, place[cluster], column] += share
    return sums[0], sums[1]


def _scaled(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (SCALE * low, SCALE * high)
