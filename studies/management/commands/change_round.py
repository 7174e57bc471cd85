from typing import Any

from django.core.management.base import CommandError, CommandParser

from studies.management.base import StudyCommand
from studies.models import Job, Round
from studies.services import plans, rounds
from studies.services.limits import limit_workers

# Which change each option is of, and what it is when nobody gives it.
ONLY_OF = {
    "overlap": ("extend", 0),
    "stories": ("extend", 0),
    "above_budget": ("extend", False),
    "per_worker": ("limit", None),
    "apart_from": ("limit", None),
}


class Command(StudyCommand):
    help = "Pause, resume, extend, limit or close a round."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("round", type=int, help="the round's number")
        parser.add_argument("change", choices=["pause", "resume", "extend", "limit", "close"])
        parser.add_argument("--overlap", type=int, default=0, help="extend: more workers a task")
        parser.add_argument("--stories", type=int, default=0, help="extend: more stories")
        parser.add_argument(
            "--above-budget", action="store_true", help="extend: it may cost more than what is left"
        )
        parser.add_argument(
            "--per-worker", type=int, help="limit: at most so many tasks of one worker; 0: no limit"
        )
        parser.add_argument(
            "--apart-from",
            type=int,
            action="append",
            metavar="N",
            help="limit: no worker of round N; may be given again; 0: of any",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        round = self.find_round(study, options["round"])
        for name, (change, default) in ONLY_OF.items():
            if options[name] != default and options["change"] != change:
                raise CommandError(f"--{name.replace('_', '-')} is of “{change}” only.")
        try:
            if options["change"] == "limit":
                self.limit(round, options)
            else:
                self.run_job(self.change(round, options), unit="slots")
        except plans.AboveBudget as refusal:
            raise CommandError(f"{refusal} Add --above-budget to extend it.") from refusal
        except plans.RoundRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        round.refresh_from_db()
        self.report(facts(round), f"{round}: {round.state}.{limits(round)}", options)

    def limit(self, round: Round, options: dict[str, Any]) -> None:
        cap, numbers = options["per_worker"], options["apart_from"]
        if cap is None and numbers is None:
            raise CommandError("Say --per-worker, --apart-from or both.")
        apart = list(round.apart_from.all())
        if numbers is not None:
            apart = [self.find_round(round.study, number) for number in numbers if number]
        limit_workers(
            round=round,
            worker_cap=round.worker_cap if cap is None else cap or None,
            apart_from=apart,
        )

    def change(self, round: Round, options: dict[str, Any]) -> Job:
        match options["change"]:
            case "pause":
                return rounds.pause_round(round=round)
            case "resume":
                return rounds.resume_round(round=round)
            case "extend":
                return rounds.extend_round(
                    round=round,
                    overlap=options["overlap"],
                    stories=options["stories"],
                    above_budget=options["above_budget"],
                )
        return rounds.close_round(round=round)


def limits(round: Round) -> str:
    cap = f" At most {round.worker_cap:,} of one worker." if round.worker_cap else ""
    apart = ", ".join(map(str, numbers_apart(round)))
    return cap + (f" No worker of round {apart}." if apart else "")


def facts(round: Round) -> dict[str, Any]:
    return {
        "study": round.study.slug,
        "round": round.number,
        "state": round.state,
        "per_worker": round.worker_cap,
        "apart_from": numbers_apart(round),
    }


def numbers_apart(round: Round) -> list[int]:
    return list(round.apart_from.order_by("number").values_list("number", flat=True))
