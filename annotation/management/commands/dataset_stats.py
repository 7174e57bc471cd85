from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError, CommandParser

from annotation.management.base import find_release
from annotation.models import Release
from annotation.releases.card import NAMES
from annotation.releases.figure_texts import WRITERS
from annotation.releases.figures import figures_of
from annotation.releases.file_statistics import CannotCount, statistics_of
from studies.management.base import StudyCommand, progress_bar


class Command(StudyCommand):
    help = "Statistics of state annotations: of a release, or of files of responses together."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", nargs="?", help="the study's short name")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--release", metavar="NAME", help="a release of the study")
        what.add_argument("--file", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--format", choices=list(WRITERS), default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["study"]) != bool(options["release"]):
            raise CommandError("Give STUDY with --release, or --file alone.")
        if options["release"]:
            study = self.find_study(options["study"])
            figures = of_release(find_release(study, options["release"]))
        else:
            figures = of_files(options["file"])
        self.stdout.write(WRITERS[options["format"]](figures))


def of_release(release: Release) -> dict[str, Any]:
    with progress_bar("rows") as progress:
        whole = figures_of(release, progress=progress)
    return {name: whole[name] for name in NAMES}


def of_files(files: list[Path]) -> dict[str, Any]:
    with ExitStack() as opened:
        try:
            return statistics_of((file.name, opened.enter_context(_open(file))) for file in files)
        except CannotCount as refusal:
            raise CommandError(str(refusal)) from refusal


def _open(file: Path) -> BinaryIO:
    try:
        return file.open("rb")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
