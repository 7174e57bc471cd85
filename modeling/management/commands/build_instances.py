from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.management.base import find_release
from annotation.models import Split
from modeling.instances.building import BadVariant, Variant, as_row, built
from modeling.instances.sources import BadSource, kept_apart, tuples_of_file, tuples_of_release
from modeling.instances.state_inference import INPUTS, PARTITIONS
from modeling.instances.tuples import BadTuple, Tuple
from modeling.tasks.registry import TASKS
from studies.management.base import StudyCommand, progress_bar
from studies.services.response_writing import CannotWrite, require_place, whole_file


class Command(StudyCommand):
    help = "Make inputs and answers for models, as JSON lines, of a release or of a file."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", nargs="?", help="the study's short name")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--release", metavar="NAME", help="a release of the study")
        what.add_argument("--file", metavar="FILE", type=Path, help="a file of annotations")
        parser.add_argument("--task", required=True, choices=list(TASKS))
        parser.add_argument(
            "--split", choices=Split.values, help="of a release this split alone (default: all)"
        )
        parser.add_argument(
            "--partition",
            choices=PARTITIONS,
            default="both",
            help="state inference: about the story, its revision, or both (default: both)",
        )
        parser.add_argument(
            "--input",
            choices=INPUTS,
            default="marked",
            help="state inference: the story with supporting sentences marked, without marks, or "
            "these sentences alone (default: marked)",
        )
        parser.add_argument("--output", required=True, metavar="FILE", type=Path)
        parser.add_argument("--force", action="store_true", help="replace an existing file")
        parser.add_argument("--format", dest="report_format", choices=["text", "json"])

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["study"]) != bool(options["release"]):
            raise CommandError("Give STUDY with --release, or --file alone.")
        if options["split"] and not options["release"]:
            raise CommandError("--split is of a release.")
        output: Path = options["output"]
        counts: Counter[str] = Counter()
        try:
            require_place(output, force=options["force"])
            variant = Variant(options["task"], options["input"], options["partition"])
            with whole_file(output, force=options["force"]) as out:
                for split, one, instance in built(kept_apart(self.rows(options)), variant):
                    if options["split"] in {None, split}:
                        row = as_row(split, one, instance)
                        out.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
                        counts[split] += 1
        except (BadSource, BadTuple, BadVariant, CannotWrite) as refusal:
            raise CommandError(f"{refusal} " + _("Nothing was written.")) from refusal
        self.report(_told(variant, output, counts), _described(output, counts), options)

    def rows(self, options: dict[str, Any]) -> Iterator[tuple[str, Tuple]]:
        if options["file"]:
            yield from (("", one) for one in tuples_of_file(options["file"]))
            return
        release = find_release(self.find_study(options["study"]), options["release"])
        with progress_bar("rows") as progress:
            yield from tuples_of_release(release, progress=progress)


def _told(variant: Variant, output: Path, counts: Counter[str]) -> dict[str, Any]:
    splits = {split: count for split, count in counts.items() if split}
    return {**vars(variant), "file": str(output), "instances": counts.total(), "splits": splits}


def _described(output: Path, counts: Counter[str]) -> str:
    shares = ", ".join(f"{split} {count:,}" for split, count in counts.items() if split)
    text = ngettext(
        "%(count)s instance written to %(file)s.",
        "%(count)s instances written to %(file)s.",
        counts.total(),
    )
    told = text % {"count": f"{counts.total():,}", "file": output}
    return f"{told} ({shares})" if shares else told
