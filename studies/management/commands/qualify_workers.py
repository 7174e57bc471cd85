from typing import Any

from django.core.management.base import CommandError, CommandParser

from studies import mturk
from studies.management.base import StudyCommand
from studies.services import qualification


class Command(StudyCommand):
    help = (
        "Suggest workers for the study's qualification: enough approved responses, none rejected. "
        "With --apply, grant it to them. Prints pseudonyms only."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--min-approved", type=int, default=5, help="approved responses needed (default: 5)"
        )
        parser.add_argument("--apply", action="store_true", help="grant it to these workers")

    def handle(self, *args: Any, **options: Any) -> None:
        study, minimum = self.find_study(options["study"]), options["min_approved"]
        if minimum < 1:
            raise CommandError("--min-approved is a whole number, one or more.")
        able = qualification.suggest_participants(study=study, min_approved=minimum)
        suggested = [{"pseudonym": a.participant.pseudonym, "approved": a.approved} for a in able]
        granted = 0
        if options["apply"]:
            granted = qualification.grant_qualification(participants=[a.participant for a in able])
            self.tell_marketplace()
        data = {
            "study": study.slug,
            "min_approved": minimum,
            "suggested": suggested,
            "granted": granted,
        }
        self.report(data, describe(suggested, minimum, granted), options)

    def tell_marketplace(self) -> None:
        try:
            qualification.apply_qualifications()
        except mturk.MarketplaceUnavailable as error:
            self.say(f"{error} The qualifications are recorded and will be sent later.")


def describe(suggested: list[dict[str, Any]], minimum: int, granted: int) -> str:
    if not suggested:
        return f"No worker has {minimum} approved responses and no rejection."
    lines = [f"{row['pseudonym']}  {row['approved']} approved" for row in suggested]
    outcome = (
        f"{granted} proficient now." if granted else "Nothing changed; add --apply to grant it."
    )
    return "\n".join([*lines, outcome])
