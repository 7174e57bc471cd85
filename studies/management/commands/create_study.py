from typing import Any

from django.core.management.base import CommandError, CommandParser

from studies.management.base import ReportCommand
from studies.services.studies import StudyRefused, create_study


class Command(ReportCommand):
    help = "Make a study."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", metavar="SLUG", help="its short name in commands and addresses")
        parser.add_argument(
            "--title", default="", help="what workers read (default: from the slug)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = create_study(slug=options["slug"], title=options["title"])
        except StudyRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        data = {"study": study.slug, "title": study.title}
        self.report(data, f"Made the study {study.slug}, “{study.title}”.", options)
