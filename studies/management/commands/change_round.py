from typing import Any

from django.core.management.base import CommandError, CommandParser

from studies.management.base import StudyCommand
from studies.models import Job, Round
from studies.services import rounds


class Command(StudyCommand):
    help = "Pause, resume, extend or close a round."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("round", type=int, help="the round's number")
        parser.add_argument("change", choices=["pause", "resume", "extend", "close"])
        parser.add_argument("--overlap", type=int, default=0, help="extend: more workers a task")
        parser.add_argument("--stories", type=int, default=0, help="extend: more stories")

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        round = Round.objects.filter(study=study, number=options["round"]).first()
        if round is None:
            raise CommandError(f"Study “{study.slug}” has no round {options['round']}.")
        try:
            job = self.change(round, options)
        except rounds.RoundRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.run_job(job, unit="slots")
        round.refresh_from_db()
        data = {"study": study.slug, "round": round.number, "state": round.state}
        self.report(data, f"{round}: {round.state}.", options)

    def change(self, round: Round, options: dict[str, Any]) -> Job:
        match options["change"]:
            case "pause":
                return rounds.pause_round(round=round)
            case "resume":
                return rounds.resume_round(round=round)
            case "extend":
                return rounds.extend_round(
                    round=round, overlap=options["overlap"], stories=options["stories"]
                )
        return rounds.close_round(round=round)
