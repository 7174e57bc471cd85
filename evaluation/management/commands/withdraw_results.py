from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.models import Item, Rating, ResultFile
from evaluation.services.withdrawing import WithdrawalRefused, withdraw_results
from studies.management.base import StudyCommand
from studies.models import Study


class Command(StudyCommand):
    help = (
        "Take back a result file that was imported wrongly: its ratings stay stored and count in "
        "no report, and the file can be imported again."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="its name, or its hash")
        parser.add_argument("--why", required=True, metavar="TEXT", help="kept with the file")

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        file = _find(study, options["file"])
        try:
            withdrawn = withdraw_results(file=file, why=options["why"])
        except WithdrawalRefused as refusal:
            raise CommandError(f"{refusal} " + _("Nothing was withdrawn.")) from refusal
        data = {
            "file": withdrawn.name,
            "sha256": withdrawn.sha256,
            "system": withdrawn.system,
            "rival": withdrawn.rival,
            "items": Item.objects.filter(result_file=withdrawn).count(),
            "ratings": Rating.objects.filter(item__result_file=withdrawn).count(),
            "why": withdrawn.withdrawn_why,
        }
        self.report(data, _describe(data), options)


def _find(study: Study, named: str) -> ResultFile:
    """The one that counts, where the same file was withdrawn before."""
    named_so = Q(name=named) | Q(sha256=named)
    found = list(study.result_files.filter(named_so).order_by("-pk"))
    if not found:
        names = study.result_files.order_by("pk").values_list("name", flat=True)
        known = ", ".join(dict.fromkeys(names))
        raise CommandError(
            f"Study “{study.slug}” has no result file “{named}”. " + f"Known: {known or 'none'}."
        )
    counting = [file for file in found if file.withdrawn_at is None]
    if len(counting) > 1:
        hashes = ", ".join(file.sha256 for file in counting)
        raise CommandError(f"Several files are called “{named}”. Give a hash: {hashes}.")
    return (counting or found)[0]


def _describe(data: dict[str, Any]) -> str:
    text = ngettext(
        "%(file)s is withdrawn: its rating of %(system)s counts no more. The file can be imported "
        "again.",
        "%(file)s is withdrawn: its ratings of %(system)s count no more (ratings: %(ratings)s, "
        "items: %(items)s). The file can be imported again.",
        data["ratings"],
    )
    return text % {
        "file": data["file"],
        "ratings": f"{data['ratings']:,}",
        "items": f"{data['items']:,}",
        "system": " · ".join(filter(None, [data["system"], data["rival"]])),
    }
