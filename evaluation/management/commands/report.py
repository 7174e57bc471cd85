from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.reports.making import Asked, Made, make_report
from evaluation.reports.registry import REPORTS, RULES, find_report
from evaluation.reports.runs.making import RunsMade, make_runs_report
from evaluation.reports.runs.registry import RUNS_REPORTS
from evaluation.reports.scores import ReportRefused
from evaluation.reports.writing import WRITERS
from studies.management.base import StudyCommand
from studies.models import Study


class Command(StudyCommand):
    help = "A table of a study: of what raters said by system or question, or of runs by metric."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        names = [*REPORTS, *RUNS_REPORTS]
        parser.add_argument("name", metavar="NAME", choices=names, help=", ".join(names))
        parser.add_argument(
            "--study", required=True, metavar="STUDY", help="the study's short name"
        )
        parser.add_argument(
            "--system",
            action="append",
            default=[],
            metavar="S",
            help="these systems alone; for agreement they are pooled; may be given again",
        )
        parser.add_argument(
            "--instrument",
            metavar="NAME",
            help="where ratings of several suit the report; NAME@2 is one version of it",
        )
        parser.add_argument(
            "--rule",
            choices=RULES,
            default=RULES[0],
            help="what was computed for the published tables, or what the paper's text says",
        )
        parser.add_argument(
            "--expected-items",
            type=int,
            metavar="N",
            help="of each system; an absent one counts as no acceptable output",
        )
        parser.add_argument(
            "--first-submitted",
            type=int,
            metavar="N",
            help="the first N ratings of each system or pair",
        )
        self.add_references(parser)
        parser.add_argument("--format", choices=list(WRITERS), default="text")

    def add_references(self, parser: CommandParser) -> None:
        written = parser.add_mutually_exclusive_group()
        written.add_argument(
            "--release",
            metavar="NAME",
            help="what people wrote, for reports that compare with it (default: the newest)",
        )
        written.add_argument(
            "--references", type=Path, metavar="FILE", help="the same from a file of annotations"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        try:
            made = _made(study, options)
        except ReportRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(WRITERS[options["format"]](made))


def _made(study: Study, options: dict[str, Any]) -> Made | RunsMade:
    """Raises ReportRefused."""
    asked = Asked(
        rule=options["rule"],
        systems=tuple(options["system"]),
        instrument=options["instrument"],
        expected_items=options["expected_items"],
        first_submitted=options["first_submitted"],
        release=options["release"],
        references=options["references"],
    )
    if options["name"] in RUNS_REPORTS:
        return make_runs_report(study, RUNS_REPORTS[options["name"]], asked)
    return make_report(study, find_report(options["name"]), asked)
