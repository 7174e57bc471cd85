from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError, CommandParser

from studies import task_types
from studies.durations import DurationError, parse_duration
from studies.management.base import StudyCommand
from studies.models import Eligibility, Round
from studies.services.estimates import Estimate
from studies.services.rounds import Plan, RoundRefused, estimate_round, launch_round
from studies.tasks import wake


class Command(StudyCommand):
    help = "Launch a round: make its tasks and slots, and publish them in the marketplace."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--task", required=True, help="task type, e.g. state_annotation")
        parser.add_argument("--overlap", type=int, required=True, help="workers for each task")
        parser.add_argument("--reward", required=True, help="US dollars for one task, e.g. 0.35")
        parser.add_argument("--unpaid", action="store_true", help="needed where the reward is 0")
        parser.add_argument("--limit", type=int, help="only the first N stories")
        parser.add_argument("--time-limit", default="30m", help="for one task (default: 30m)")
        parser.add_argument("--lifetime", default="7d", help="how long it is offered (default: 7d)")
        parser.add_argument("--auto-approve", default="3d", help="pay after (default: 3d)")
        parser.add_argument("--eligibility", choices=Eligibility.values, default=Eligibility.OPEN)
        parser.add_argument("--pilot", action="store_true", help="never enters a release")
        parser.add_argument("--seed", type=int, help="for ties between tasks (default: drawn)")
        parser.add_argument("--dry-run", action="store_true", help="only say what it would cost")
        parser.add_argument(
            "--detach", action="store_true", help="leave publishing to the Celery worker"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            plan = self.plan(options)
            estimate = estimate_round(plan)
            if options["dry_run"]:
                self.report(asdict(estimate), describe(estimate), options)
                return
            if not plan.reward_usd and not options["unpaid"]:
                raise CommandError("This round pays nothing. Add --unpaid to launch it.")
            round, job = launch_round(plan=plan)
        except (RoundRefused, DurationError, task_types.UnknownTaskType) as refusal:
            raise CommandError(str(refusal)) from refusal
        if options["detach"]:
            wake(job)
        else:
            self.run_job(job, unit="slots")
            round.refresh_from_db()
        self.report(
            facts(round, estimate), f"{round}: {round.state}. {describe(estimate)}", options
        )

    def plan(self, options: dict[str, Any]) -> Plan:
        chosen = {
            "study": self.find_study(options["study"]),
            "task_type": task_types.get(options["task"]),
            "overlap": options["overlap"],
            "reward_usd": amount(options["reward"]),
            "limit": options["limit"],
            "time_limit": parse_duration(options["time_limit"]),
            "lifetime": parse_duration(options["lifetime"]),
            "auto_approval_delay": parse_duration(options["auto_approve"]),
            "eligibility": Eligibility(options["eligibility"]),
            "pilot": options["pilot"],
        }
        if options["seed"] is not None:
            chosen["seed"] = options["seed"]
        return Plan(**chosen)


def amount(text: str) -> Decimal:
    try:
        value = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        raise CommandError(f"“{text}” is not an amount in US dollars, such as 0.35.")
    return value


def describe(estimate: Estimate) -> str:
    hourly = f" About ${estimate.hourly_usd} an hour." if estimate.hourly_usd is not None else ""
    return (
        f"{estimate.tasks:,} tasks, {estimate.slots:,} slots: ${estimate.rewards_usd:,} and "
        f"${estimate.fee_usd:,} fee, together ${estimate.total_usd:,}.{hourly}"
    )


def facts(round: Round, estimate: Estimate) -> dict[str, Any]:
    return {
        "study": round.study.slug,
        "round": round.number,
        "state": round.state,
        "seed": round.seed,
        **asdict(estimate),
    }
