"""Makes runs, stops them, has them go on."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from shutil import rmtree
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import Release
from modeling.configuration import Configuration
from modeling.instances.building import Variant
from modeling.instances.sources import opened
from modeling.models import Run, RunState
from modeling.run_folder import TEST, place_among_runs
from modeling.runs.preparing import write_files
from studies.models import Study
from studies.story_files.json_lines import text_fault

LARGEST_SEED = 2**63 - 1
MOST_SEEDS, MOST_PROCESSES, LONGEST_NAME = 50, 64, 100


class RunRefused(ValueError):
    """There can be no such run; the text says why."""


def create_runs(
    *,
    study: Study,
    release: Release | None = None,
    files: Mapping[str, Path] | None = None,
    variant: Variant,
    configuration: Configuration,
    seeds: Sequence[int],
    queue: str = "",
    processes: int = 1,
    name: str = "",
    user: Any = None,
) -> list[Run]:
    """Waiting runs that differ in their seed alone; the caller sends them.

    They learn from a release, or from files by split, which are read now. Raises RunRefused, and
    what reading files raises.
    """
    queue = queue or configuration.capability
    _check(release, files, variant, configuration, queue, study)
    _check_seeds(seeds)
    _check_named(name, processes)
    same = Run(
        study=study,
        name=name,
        release=release,
        began_with=runs_named(study, configuration).get("model"),
        files=_described(files or {}),
        task=variant.task,
        input=variant.input,
        partition=variant.partition,
        method=configuration.slug,
        configuration=configuration.as_dict(),
        queue=queue,
        processes=processes,
        requested_by=user,
    )
    return _store([_with_seed(same, seed) for seed in seeds], variant, files or {})


def _store(runs: list[Run], variant: Variant, files: Mapping[str, Path]) -> list[Run]:
    """All of them with their instances, or none."""
    try:
        with transaction.atomic():
            for run in runs:
                if files:
                    write_files(run.folder, variant, files)
                run.save()
    except BaseException:
        for run in runs:
            rmtree(run.folder.path, ignore_errors=True)
        raise
    return runs


def _with_seed(same: Run, seed: int) -> Run:
    run = copy(same)
    run.public_id, run.seed = uuid.uuid4(), seed
    return run


@transaction.atomic
def request_cancel(*, run: Run) -> None:
    """Ask a run to stop within a few steps; a waiting one stops at once, an ended one stays."""
    # Held, or it could be put back between a look for the one and a look for the other.
    held = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    same = Run.objects.filter(pk=run.pk)
    if held.state == RunState.QUEUED:
        same.update(state=RunState.CANCELLED, cancel_requested=True, finished_at=Now())
    elif held.state == RunState.RUNNING:
        same.update(cancel_requested=True)


def resume_run(*, run: Run) -> None:
    """Have a stopped or failed run go on from its last checkpoint; the caller sends it. Raises
    RunRefused for any other."""
    ended = Run.objects.filter(pk=run.pk, state__in=[RunState.CANCELLED, RunState.FAILED])
    again = ended.update(
        state=RunState.QUEUED,
        cancel_requested=False,
        attempts=0,
        reason="",
        error="",
        last_words="",
        finished_at=None,
        sent_at=None,
    )
    if not again:
        raise RunRefused(_("Only a run that was stopped or has failed can be resumed."))


def _check(
    release: Release | None,
    files: Mapping[str, Path] | None,
    variant: Variant,
    configuration: Configuration,
    queue: str,
    study: Study,
) -> None:
    if (release is None) == (not files):
        raise RunRefused(_("A run learns from a release or from files."))
    if files and TEST not in files:
        raise RunRefused(_("Give a file to be answered, for the split test."))
    if release and release.study_id != study.pk:
        raise RunRefused(_("The release is of another study."))
    if variant.task not in configuration.for_tasks:
        raise RunRefused(
            _("%(method)s cannot do %(task)s.")
            % {"method": configuration.name, "task": variant.task}
        )
    if queue not in settings.RUN_QUEUES:
        raise RunRefused(
            _("There is no queue %(queue)s. Known: %(queues)s.")
            % {"queue": queue, "queues": ", ".join(settings.RUN_QUEUES)}
        )


def _check_seeds(seeds: Sequence[int]) -> None:
    if not seeds or len(set(seeds)) < len(seeds):
        raise RunRefused(_("Give one seed or more, none of them twice."))
    if len(seeds) > MOST_SEEDS:
        raise RunRefused(_("Give %(most)s seeds at most.") % {"most": MOST_SEEDS})
    if min(seeds) < 0 or max(seeds) > LARGEST_SEED:
        raise RunRefused(
            _("Seeds are whole numbers from 0 to %(largest)s.") % {"largest": LARGEST_SEED}
        )


def _check_named(name: str, processes: int) -> None:
    if len(name) > LONGEST_NAME:
        raise RunRefused(_("Give a name of %(most)s characters at most.") % {"most": LONGEST_NAME})
    if fault := text_fault(name):
        raise RunRefused(_("Give another name. %(why)s") % {"why": fault[1]})
    if not 1 <= processes <= MOST_PROCESSES:
        raise RunRefused(_("Give from 1 to %(most)s processes.") % {"most": MOST_PROCESSES})


def runs_named(study: Study, configuration: Configuration) -> dict[str, Run]:
    """The runs whose models are used, by setting. Raises RunRefused where the study lacks one, and
    where a model is named by a place in which runs keep theirs, whosever they are."""
    _check_places(configuration)
    named = configuration.runs_named
    known = {run.public_id: run for run in study.runs.filter(public_id__in=named.values())}
    for public_id in named.values():
        if public_id not in known:
            raise RunRefused(_("The study has no run %(run)s.") % {"run": public_id})
    return {setting: known[public_id] for setting, public_id in named.items()}


def _check_places(configuration: Configuration) -> None:
    for setting, name in configuration.models_named.items():
        # Runners work there (modeling/runs/process.py).
        if place_among_runs(name, settings.RUNS_DIR, settings.BASE_DIR) is None:
            continue
        if setting in configuration.models:
            text = _(
                "%(setting)s: %(name)s is in the folder of the runs. Give the run's id instead."
            )
        else:
            text = _("%(setting)s: %(name)s is in the folder of the runs. Give another model.")
        raise RunRefused(text % {"setting": setting, "name": name})


def _described(files: Mapping[str, Path]) -> dict[str, dict[str, str]]:
    """Raises BadSource."""
    return {split: {"name": path.name, "sha256": _hash_of(path)} for split, path in files.items()}


def _hash_of(path: Path) -> str:
    with opened(path) as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
