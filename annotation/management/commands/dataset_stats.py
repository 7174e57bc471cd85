import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.base import find_release
from annotation.models import Release
from annotation.releases.card import NAMES
from annotation.releases.figures import figures_of
from annotation.tasks.state_annotation.statistics import Statistics
from studies.management.base import StudyCommand, progress_bar
from studies.services.response_reading import ResponseReading
from studies.story_files.results import problem_lines


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
    statistics = Statistics()
    for file in files:
        for item, answers in _rows(file):
            statistics.add(item, answers)
    return statistics.as_dict()


def _rows(file: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    try:
        source = file.open("rb")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
    with source:
        reading = ResponseReading(source, name=file.name)
        yield from ((row.content.item, row.content.answers) for row in reading)
        found = reading.findings
        if found.problem_count:
            lines = problem_lines(file.name, tuple(found.problems), found.problem_count)
            raise CommandError("\n".join(lines))


def as_json(figures: dict[str, Any]) -> str:
    return json.dumps(figures, indent=2)


def as_text(figures: dict[str, Any]) -> str:
    return "\n".join(f"{_shown(key, figures):>10}  {name}" for key, name in NAMES.items())


def as_latex(figures: dict[str, Any]) -> str:
    rows = [
        f"{name.replace('%', chr(92) + '%')} & {_shown(key, figures)} \\\\"
        for key, name in NAMES.items()
    ]
    return "\n".join([r"\begin{tabular}{lr}", r"\hline", *rows, r"\hline", r"\end{tabular}"])


def _shown(key: str, figures: dict[str, Any]) -> str:
    value = figures[key]
    if value is None:
        return "–"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"


WRITERS = {"text": as_text, "json": as_json, "latex": as_latex}
