from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.releases.withdrawal import (
    Withdrawal,
    preview_withdrawal,
    withdraw_participant,
)
from studies.management.base import StudyCommand
from studies.models import Participant


class Command(StudyCommand):
    help = (
        "Take out what a worker gave: it is judged, exported and released no more. Lists the "
        "releases that hold it already."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("participant", metavar="PSEUDONYM")
        parser.add_argument("--dry-run", action="store_true", help="say what it would do")

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        found = Participant.objects.filter(study=study, pseudonym=options["participant"]).first()
        if found is None:
            raise CommandError(f"Study “{study.slug}” has no worker “{options['participant']}”.")
        work = preview_withdrawal if options["dry_run"] else withdraw_participant
        outcome = work(participant=found)
        data = outcome.as_dict() | {"dry_run": options["dry_run"]}
        self.report(data, _text(outcome, dry_run=options["dry_run"]), options)


def _text(outcome: Withdrawal, *, dry_run: bool) -> str:
    count = outcome.contributions
    said = (
        ngettext(
            "%(n)s contribution of %(worker)s would be withdrawn.",
            "%(n)s contributions of %(worker)s would be withdrawn.",
            count,
        )
        if dry_run
        else ngettext(
            "%(n)s contribution of %(worker)s withdrawn.",
            "%(n)s contributions of %(worker)s withdrawn.",
            count,
        )
    )
    lines = [said % {"n": f"{count:,}", "worker": outcome.participant}]
    lines += [
        ngettext(
            "Release %(name)s holds %(rows)s row of this worker, and stays as it is.",
            "Release %(name)s holds %(rows)s rows of this worker, and stays as it is.",
            rows,
        )
        % {"name": release.name, "rows": f"{rows:,}"}
        for release, rows in outcome.releases
    ]
    if not outcome.releases:
        lines.append(_("No release holds any of it."))
    lines += [
        ngettext(
            "Run %(run)s (%(name)s) used %(rows)s row of this worker.",
            "Run %(run)s (%(name)s) used %(rows)s rows of this worker.",
            use.rows,
        )
        % {"run": use.pk, "name": use.name, "rows": f"{use.rows:,}"}
        for use in outcome.uses
    ]
    return "\n".join(lines)
