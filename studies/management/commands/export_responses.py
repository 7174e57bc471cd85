from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.management.base import StudyCommand, progress_bar
from studies.services.response_export import ExportRefused, ResponseExport, export_responses
from studies.services.response_layout import OWN, PUBLISHED, TABLE


class Command(StudyCommand):
    help = "Write the confirmed responses of a study's rounds to a file. Pilots stay out."
    format_option = "--output-format"
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--format",
            choices=[PUBLISHED, OWN, TABLE],
            required=True,
            help="pasta-jsonl: the published layout; jsonl: everything; csv: for a spreadsheet",
        )
        parser.add_argument("--output", metavar="FILE", type=Path, required=True)
        parser.add_argument("--round", type=int, metavar="N", help="only this round")
        parser.add_argument("--force", action="store_true", help="replace an existing file")
        parser.add_argument(
            "--skip-unfit",
            action="store_true",
            help="leave out responses that the format has no room for, and say how many",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study, number = self.find_study(options["study"]), options["round"]
        round = None if number is None else self.find_round(study, number)
        try:
            with progress_bar("rows") as progress:
                outcome = export_responses(
                    study=study,
                    fmt=options["format"],
                    path=options["output"],
                    round=round,
                    force=options["force"],
                    skip_unfit=options["skip_unfit"],
                    progress=progress,
                )
        except ExportRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        for sentence in _left_out(outcome):
            self.say(sentence)
        sentence = ngettext(
            "%(rows)s response written to %(file)s.",
            "%(rows)s responses written to %(file)s.",
            outcome.rows,
        )
        numbers = {"rows": f"{outcome.rows:,}", "file": outcome.file}
        self.report(outcome.as_dict(), sentence % numbers, options)


def _left_out(outcome: ResponseExport) -> list[str]:
    reasons = {
        "pilot": _("%(count)s left out: from pilot rounds."),
        "waiting": _("%(count)s left out: the marketplace has not confirmed them yet."),
        "unconfirmed": _("%(count)s left out: the marketplace never received them."),
        "withdrawn": _("%(count)s left out: withdrawn."),
        "other_task_type": _("%(count)s left out: their task type has no such format."),
        "unfit": _("%(count)s left out: they do not fit the format."),
    }
    return [reasons[name] % {"count": f"{n:,}"} for name, n in outcome.left_out.items()]
