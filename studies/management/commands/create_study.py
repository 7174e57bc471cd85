from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from studies.management.base import ReportCommand
from studies.models import Study, StudyRole
from studies.services.members import admit, find_account
from studies.services.studies import StudyRefused, create_study


class Command(ReportCommand):
    help = "Make a study."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", metavar="SLUG", help="its short name in commands and addresses")
        parser.add_argument(
            "--title", default="", help="what workers read (default: from the slug)"
        )
        parser.add_argument(
            "--member",
            action="append",
            default=[],
            metavar="USERNAME[:reviewer]",
            help="an account that works on it, as a researcher or as a reviewer; repeat for more",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        members = dict(map(member, options["member"]))
        try:
            study = self.create(options["slug"], options["title"], members)
        except StudyRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        data = {"study": study.slug, "title": study.title, "members": members}
        self.report(data, f"Made the study {study.slug}, “{study.title}”.", options)

    @transaction.atomic
    def create(self, slug: str, title: str, members: dict[str, StudyRole]) -> Study:
        study = create_study(slug=slug, title=title, members=members)
        for name, role in members.items():
            admit(user=find_account(name), role=role)
        return study


def member(text: str) -> tuple[str, StudyRole]:
    name, _colon, role = text.partition(":")
    if role not in {"", *StudyRole.values}:
        raise CommandError(f"“{role}” is no role: write researcher or reviewer.")
    return name, StudyRole(role or StudyRole.RESEARCHER)
