"""What people wrote for the outputs of runs: it is kept beside each output."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F

from evaluation.instruments.declaration import Declaration
from evaluation.models import Item
from evaluation.rating.outputs import instance_names
from evaluation.reports.rows import RatedItem
from evaluation.reports.texts import REVISIONS
from modeling.metrics.texts import on_lines
from modeling.models import Generation
from modeling.tasks.state_change import read_states
from modeling.tasks.story_revision import read_revision


def references_of_runs(items: Sequence[RatedItem], declared: Declaration) -> dict[int, str]:
    """Of the items whose round was made of runs."""
    rows = (
        Item.objects.filter(
            pk__in=[item.pk for item in items], task__round__rating_round__source__kind="runs"
        )
        .annotate(runs=F("task__round__rating_round__source__runs"))
        .values_list("pk", "key", "part", "runs")
    )
    wanted = {pk: (instance_names(key, part), part, runs) for pk, key, part, runs in rows}
    targets = _targets(
        {run for *_rest, runs in wanted.values() for run in runs},
        {name for names, *_rest in wanted.values() for name in names},
    )
    found = {}
    for pk, (names, part, runs) in wanted.items():
        asked = [(run, name) for run in runs for name in names]
        known = next((targets[name] for name in asked if name in targets), None)
        if known is not None:
            found[pk] = _reference(*known, part=part, declared=declared)
    return found


def _targets(
    runs: set[str], instances: set[str]
) -> dict[tuple[str, str], tuple[Mapping[str, Any], str]]:
    """By run and instance: its input's fields, and its target."""
    rows = Generation.objects.filter(run__public_id__in=runs, instance_key__in=instances)
    columns = ("run__public_id", "instance_key", "fields", "target")
    return {(str(run), key): known for run, key, *known in rows.values_list(*columns)}


def _reference(fields: Mapping[str, Any], target: str, *, part: str, declared: Declaration) -> str:
    if declared.slug in REVISIONS:
        return on_lines(read_revision(target, fields["story"]).sentences)
    states = read_states(target)
    return states.state if part == "state" else states.changed_state
