"""What people wrote for the outputs of runs: it is kept beside each output, with what that
scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from evaluation.instruments.declaration import Declaration
from evaluation.models import Item
from evaluation.rating.outputs import instance_names
from evaluation.reports.rows import RatedItem, Shares
from evaluation.reports.texts import REVISIONS
from modeling.metrics.texts import on_lines
from modeling.models import Generation
from modeling.tasks.state_change import read_states
from modeling.tasks.story_revision import REVISION, read_revision
from modeling.tasks.task import Scored


@dataclass(frozen=True)
class Written:
    """What people wrote, and what the output scores beside it, where its run has worked it out."""

    reference: str
    shares: Shares | None = None


def written_for_runs(items: Sequence[RatedItem], declared: Declaration) -> dict[int, Written]:
    """Of the items whose round was made of runs."""
    rows = (
        Item.objects.filter(
            pk__in=[item.pk for item in items], task__round__rating_round__source__kind="runs"
        )
        .annotate(runs=F("task__round__rating_round__source__runs"))
        .values_list("pk", "system", "key", "part", "runs")
    )
    wanted = {
        pk: (instance_names(key, part), part, system, runs) for pk, system, key, part, runs in rows
    }
    outputs = _outputs(
        {run for *_rest, runs in wanted.values() for run in runs},
        {name for names, *_rest in wanted.values() for name in names},
    )
    found = {}
    for pk, (names, part, system, runs) in wanted.items():
        asked = [(run, name) for run in runs for name in names if (run, name) in outputs]
        own = next((one for one in asked if runs[one[0]] == system), None)
        if asked:
            reference = _reference(outputs[asked[0]], part=part, declared=declared)
            shares = _shares(outputs[own], part=part, declared=declared) if own else None
            found[pk] = Written(reference, shares)
    return found


@dataclass(frozen=True)
class _Output:
    fields: Mapping[str, Any]
    target: str
    score: Mapping[str, Any]


def _outputs(runs: set[str], instances: set[str]) -> dict[tuple[str, str], _Output]:
    """By run and instance."""
    rows = Generation.objects.filter(run__public_id__in=runs, instance_key__in=instances)
    columns = ("run__public_id", "instance_key", "fields", "target", "score")
    return {(str(run), key): _Output(*more) for run, key, *more in rows.values_list(*columns)}


def _reference(output: _Output, *, part: str, declared: Declaration) -> str:
    if declared.slug in REVISIONS:
        return on_lines(read_revision(output.target, output.fields["story"]).sentences)
    states = read_states(output.target)
    return states.state if part == "state" else states.changed_state


def _shares(output: _Output, *, part: str, declared: Declaration) -> Shares:
    shares = Scored.from_dict(output.score).shares
    return shares[REVISION if declared.slug in REVISIONS else part]
