"""The finished runs of a study and what they answered."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from evaluation.instruments.error_analysis import STATE_TYPE, STATE_TYPES
from evaluation.models import Rating
from evaluation.rating.outputs import instance_names
from evaluation.rating.sources.runs import INSTRUMENTS
from evaluation.reports.reading import COUNTS, counted_items, rated
from evaluation.reports.runs.registry import RUNS_REPORTS, RunsReport
from evaluation.reports.runs.rows import Answer, Family, Tried
from evaluation.reports.scores import ReportRefused
from modeling.models import Generation, Run, RunState
from modeling.tasks.task import Scored
from studies.models import Study


def families_of(study: Study, *, systems: Sequence[str] = ()) -> list[Family]:
    """Named as the runs are, else by their model, else by their method; where that does not tell
    them apart, with their numbers. What was run again with the same seed is no further one: the
    latest counts. Raises ReportRefused for a system that there is not."""
    by_seed: dict[str, dict[int, Run]] = defaultdict(dict)
    for run in Run.objects.filter(study=study, state=RunState.DONE).order_by("pk"):
        by_seed[_kind(run)][run.seed] = run
    kinds = [sorted(runs.values(), key=lambda run: run.pk) for runs in by_seed.values()]
    names = Counter(_place(runs[0]) for runs in kinds)
    found = [_family(runs, alone=names[_place(runs[0])] == 1) for runs in kinds]
    known = dict.fromkeys(family.system for family in found)
    for name in systems:
        if name not in known:
            raise ReportRefused(
                _("There is no system “%(name)s” among the runs of this study. Known: %(known)s.")
                % {"name": name, "known": ", ".join(known) or _("none")}
            )
    return [family for family in found if not systems or family.system in systems]


def answers_of(study: Study, families: Sequence[Family]) -> Iterator[Answer]:
    runs = [run for family in families for run in family.runs]
    rated = {task: _rated(study, task) for task in {family.task for family in families}}
    types = _state_types(study)
    task_of = {run: family.task for family in families for run in family.runs}
    columns = ("run_id", "instance_key", "tuple_key", "part", "score")
    rows = Generation.objects.filter(run__in=runs).order_by("pk").values_list(*columns)
    for run, instance, tuple_key, part, score in rows.iterator():
        instances, tuples = rated[task_of[run]]
        is_rated = instance in instances or tuple_key in tuples
        shares, state_type = Scored.from_dict(score).shares, types.get(tuple_key, "")
        yield Answer(run, tuple_key, part, shares, is_rated, state_type)


def runs_reports_for(study: Study) -> list[RunsReport]:
    """Those that the study's finished runs, and the types that experts found, suit."""
    done = Run.objects.filter(study=study, state=RunState.DONE)
    tasks = set(done.values_list("task", flat=True).distinct())
    tried = set(done.filter(facts__grid__0__isnull=False).values_list("task", flat=True).distinct())
    suited = [
        one for one in RUNS_REPORTS.values() if (tried if one.of_tries else tasks) & set(one.tasks)
    ]
    types = any(one.of_types for one in suited) and _state_types(study)
    return [one for one in suited if types or not one.of_types]


def _rated(study: Study, task: str) -> tuple[set[str], set[str]]:
    """What people rated with a task's instruments: instances where the round was ours, whole tuples
    elsewhere."""
    slugs = INSTRUMENTS.get(task, (task,))
    items = rated(counted_items(study).filter(instrument__slug__in=slugs))
    keys = items.filter(task__isnull=False).values_list("key", "part").distinct()
    groups = items.filter(task__isnull=True).values_list("group", flat=True).distinct()
    instances = {name for key, part in keys for name in instance_names(key, part)}
    return instances, {group for group in groups if group}


def _state_types(study: Study) -> dict[str, str]:
    """Of each tuple's state, as most experts found; without most of them it has none."""
    items = counted_items(study).filter(instrument__slug=STATE_TYPES.slug)
    ratings = Rating.objects.filter(COUNTS, item__in=items)
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for group, answers in ratings.values_list("item__group", "answers"):
        said[group][answers[STATE_TYPE]] += 1
    chosen = {group: codes.most_common(1)[0] for group, codes in said.items()}
    return {group: code for group, (code, n) in chosen.items() if 2 * n > said[group].total()}


def _kind(run: Run) -> str:
    data = run.release_id or run.files
    same = [run.name, run.method, run.configuration, run.task, run.input, run.partition, data]
    return json.dumps(same, sort_keys=True)


def _place(run: Run) -> tuple[str, str, str, str]:
    return _name(run), run.task, run.input, run.partition


def _name(run: Run) -> str:
    return run.name or str(run.configuration.get("model") or run.method)


def _family(runs: Sequence[Run], *, alone: bool) -> Family:
    first, numbers = runs[0], ", ".join(str(run.pk) for run in runs)
    system = _name(first) if alone else f"{_name(first)} ({numbers})"
    keys = tuple(run.pk for run in runs)
    tried = tuple(cell for run in runs for cell in _tried(run))
    return Family(system, first.task, first.input, first.partition, keys, tried)


def _tried(run: Run) -> Iterator[Tried]:
    for row in run.facts.get("grid", ()):
        selection, _dash, examples = row["cell"].rpartition("-")
        is_kept = row["cell"] == run.facts["cell"]
        yield Tried(selection, int(examples), row["bertscore"], row["rows"], is_kept)
