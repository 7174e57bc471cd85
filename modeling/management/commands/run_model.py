import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.management.base import find_release
from modeling.configuration import BadConfiguration
from modeling.instances.building import BadVariant, Variant
from modeling.instances.sources import BadSource
from modeling.instances.state_inference import INPUTS, PARTITIONS
from modeling.instances.tuples import BadTuple
from modeling.methods import METHODS
from modeling.models import Run, RunState
from modeling.presets import PRESETS
from modeling.run_folder import SPLITS
from modeling.runs.asking import configuration_for, fresh_seeds, settings_from
from modeling.runs.creating import (
    MOST_SEEDS,
    RunRefused,
    create_runs,
    request_cancel,
    resume_run,
)
from modeling.runs.supervising import supervise
from modeling.runs.telling import as_dict, as_text
from modeling.tasks.registry import TASKS
from studies.management.base import StudyCommand
from studies.models import Study

LOOK_SECONDS = 0.5


class Command(StudyCommand):
    help = (
        "Fine-tune or prompt a model on a release (or files): a run for each seed, which a worker "
        "of its queue takes. With --show, --list, --cancel or --resume: runs that are there."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        what = parser.add_argument_group("what it learns from")
        what.add_argument("--release", metavar="NAME")
        for split in SPLITS:
            what.add_argument(f"--{split}", metavar="FILE", type=Path, help="in place of a release")
        what.add_argument("--task", choices=list(TASKS))
        what.add_argument("--input", choices=INPUTS, default="marked")
        what.add_argument("--partition", choices=PARTITIONS, default="both")
        how = parser.add_argument_group("how")
        how.add_argument("--preset", choices=list(PRESETS), help="published settings")
        how.add_argument("--method", choices=list(METHODS))
        how.add_argument(
            "--set",
            action="extend",
            nargs="+",
            default=[],
            metavar="NAME=VALUE",
            dest="changes",
            help="settings of the method; may be given again",
        )
        how.add_argument(
            "--seed", type=int, action="extend", nargs="+", metavar="S", help="one run for each"
        )
        how.add_argument("--seeds", type=int, default=1, metavar="N", help="so many drawn ones")
        how.add_argument("--queue", default="", help="by default what the method needs")
        how.add_argument("--processes", type=int, default=1, help="GPUs that work on it together")
        how.add_argument("--name", default="")
        how.add_argument(
            "--here", action="store_true", help="do it in this process, without a worker"
        )
        how.add_argument("--wait", action="store_true", help="until it has ended")
        there = parser.add_argument_group("runs that are there").add_mutually_exclusive_group()
        there.add_argument("--list", action="store_true", dest="list_runs")
        for verb in ("show", "cancel", "resume"):
            there.add_argument(f"--{verb}", metavar="RUN", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        if options["list_runs"]:
            self.tell(list(Run.objects.filter(study=study).order_by("pk")), options)
            return
        try:
            runs = self.named(study, options) or self.made(study, options)
        except (RunRefused, BadConfiguration, BadVariant, BadSource, BadTuple) as refusal:
            raise CommandError(str(refusal)) from refusal
        if options["here"]:
            for run in runs:
                while supervise(run.pk):
                    pass
        elif options["wait"]:
            wait_for(runs)
        self.tell(runs, options)

    def named(self, study: Study, options: dict[str, Any]) -> list[Run]:
        """The run that an option names, after what it asks for."""
        verb = next((one for one in ("show", "cancel", "resume") if options[one] is not None), "")
        if not verb:
            return []
        run = Run.objects.filter(study=study, pk=options[verb]).first()
        if run is None:
            raise CommandError(f"Study “{study.slug}” has no run {options[verb]}.")
        if verb == "cancel":
            request_cancel(run=run)
        if verb == "resume":
            resume_run(run=run)
            self.send([run], options)
        return [run]

    def made(self, study: Study, options: dict[str, Any]) -> list[Run]:
        if not options["task"]:
            raise CommandError("Name the task: --task.")
        files = {split: options[split] for split in SPLITS if options[split]}
        release = find_release(study, options["release"]) if options["release"] else None
        runs = create_runs(
            study=study,
            release=release,
            files=files,
            variant=Variant(options["task"], options["input"], options["partition"]),
            configuration=configuration_for(
                task=options["task"],
                method=options["method"] or "",
                preset_name=options["preset"] or "",
                settings=settings_from(options["changes"]),
            ),
            seeds=options["seed"] or drawn_seeds(options["seeds"]),
            queue=options["queue"],
            processes=options["processes"],
            name=options["name"],
        )
        self.send(runs, options)
        return runs

    def send(self, runs: list[Run], options: dict[str, Any]) -> None:
        if options["here"]:
            return
        # Only now: it loads what sends tasks to the broker.
        from modeling.runs.tasks import send_run

        for run in runs:
            send_run(run.pk)

    def tell(self, runs: list[Run], options: dict[str, Any]) -> None:
        for run in runs:
            run.refresh_from_db()
        text = "\n".join(as_text(run) for run in runs) or _("No run yet.")
        self.report([as_dict(run) for run in runs], text, options)
        failed = [run for run in runs if run.state == RunState.FAILED]
        if failed and (options["here"] or options["wait"]):
            raise CommandError("\n".join(run.error for run in failed))


def drawn_seeds(count: int) -> list[int]:
    """Raises RunRefused."""
    if not 1 <= count <= MOST_SEEDS:
        raise RunRefused(_("Draw from 1 to %(most)s seeds.") % {"most": MOST_SEEDS})
    return fresh_seeds(count)


def wait_for(runs: list[Run]) -> None:
    for run in runs:
        while not run.is_finished:
            time.sleep(LOOK_SECONDS)
            run.refresh_from_db()
