from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import ngettext

from studies import task_types
from studies.durations import DurationError, parse_duration
from studies.management.base import StudyCommand
from studies.management.launching import Launch, launch_options
from studies.models import Eligibility, Round, Study
from studies.services.estimates import Estimate
from studies.services.plans import AboveBudget, Plan, RoundRefused, estimate_round
from studies.services.rounds import launch_round
from studies.tasks import wake


class Command(StudyCommand):
    help = "Launch a round: make its tasks and slots, and publish them in the marketplace."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--task", required=True, help="task type, e.g. state_annotation")
        parser.add_argument("--overlap", type=int, required=True, help="workers for each task")
        parser.add_argument("--reward", required=True, help="US dollars for one task, e.g. 0.35")
        parser.add_argument("--unpaid", action="store_true", help="needed where the reward is 0")
        parser.add_argument(
            "--above-budget", action="store_true", help="it may cost more than what is left"
        )
        parser.add_argument("--limit", type=int, help="only the first N stories")
        parser.add_argument("--time-limit", default="30m", help="for one task (default: 30m)")
        parser.add_argument("--lifetime", default="7d", help="how long it is offered (default: 7d)")
        parser.add_argument("--auto-approve", default="3d", help="pay after (default: 3d)")
        parser.add_argument("--eligibility", choices=Eligibility.values, default=Eligibility.OPEN)
        parser.add_argument("--per-worker", type=int, help="at most so many tasks of one worker")
        parser.add_argument(
            "--apart-from",
            type=int,
            action="append",
            default=[],
            metavar="N",
            help="no worker of round N; may be given again",
        )
        parser.add_argument("--pilot", action="store_true", help="never enters a release")
        parser.add_argument("--seed", type=int, help="for all that is drawn (default: drawn)")
        parser.add_argument("--dry-run", action="store_true", help="only say what it would cost")
        parser.add_argument(
            "--detach", action="store_true", help="leave publishing to the Celery worker"
        )
        self.of_types = launch_options()
        self.only_of: dict[str, dict[str, tuple[str, Any]]] = {}
        for slug, asked in self.of_types.items():
            before = len(parser._actions)
            asked.add_arguments(parser)
            self.only_of[slug] = {
                action.dest: (action.option_strings[0], parser.get_default(action.dest))
                for action in parser._actions[before:]
            }

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            launch = self.launch(options)
            estimate = estimate_round(launch.plan)
            if not launch.plan.study.consent_text.strip():
                self.say("The study has no consent text: workers are not asked to agree to any.")
            if options["dry_run"]:
                costs = {**asdict(estimate), **launch.facts}
                self.report(costs, describe(estimate, launch.facts), options)
                return
            if not launch.plan.reward_usd and not options["unpaid"]:
                raise CommandError("This round pays nothing. Add --unpaid to launch it.")
            round, job = launch.start()
        except AboveBudget as refusal:
            raise CommandError(f"{refusal} Add --above-budget to launch it.") from refusal
        except (RoundRefused, DurationError, task_types.UnknownTaskType) as refusal:
            raise CommandError(str(refusal)) from refusal
        if options["detach"]:
            wake(job)
        else:
            self.run_job(job, unit="slots")
            round.refresh_from_db()
        told = f"{round}: {round.state}. {describe(estimate, launch.facts)}"
        self.report({**facts(round, estimate), **launch.facts}, told, options)

    def launch(self, options: dict[str, Any]) -> Launch:
        study = self.find_study(options["study"])
        task_type = task_types.get(options["task"])
        self.refuse_others(task_type.slug, options)
        chosen = self.chosen(study, options)
        if task_type.slug in self.of_types:
            return self.of_types[task_type.slug].launch(study, chosen, options)
        plan = Plan(**chosen, study=study, task_type=task_type, limit=options["limit"])
        return Launch(plan, lambda: launch_round(plan=plan))

    def refuse_others(self, task_type: str, options: dict[str, Any]) -> None:
        """What is asked for another type of task would count for nothing here."""
        for slug, asked in self.only_of.items():
            for name, (option, default) in asked.items():
                if slug != task_type and options[name] != default:
                    raise CommandError(f"{option} is of --task {slug} only.")

    def chosen(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        chosen = {
            "overlap": options["overlap"],
            "reward_usd": amount(options["reward"]),
            "time_limit": parse_duration(options["time_limit"]),
            "lifetime": parse_duration(options["lifetime"]),
            "auto_approval_delay": parse_duration(options["auto_approve"]),
            "eligibility": Eligibility(options["eligibility"]),
            "worker_cap": options["per_worker"],
            "apart_from": [self.find_round(study, number) for number in options["apart_from"]],
            "pilot": options["pilot"],
            "above_budget": options["above_budget"],
        }
        return chosen if options["seed"] is None else chosen | {"seed": options["seed"]}


def amount(text: str) -> Decimal:
    try:
        value = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        raise CommandError(f"“{text}” is not an amount in US dollars, such as 0.35.")
    return value


def describe(estimate: Estimate, facts: Mapping[str, Any]) -> str:
    hourly = f" About ${estimate.hourly_usd:,} an hour." if estimate.hourly_usd is not None else ""
    tasks = ngettext("%(n)s task", "%(n)s tasks", estimate.tasks) % {"n": f"{estimate.tasks:,}"}
    slots = ngettext("%(n)s slot", "%(n)s slots", estimate.slots) % {"n": f"{estimate.slots:,}"}
    return (
        f"{tasks}, {slots}: ${estimate.rewards_usd:,} and "
        f"${estimate.fee_usd:,} fee, together ${estimate.total_usd:,}.{hourly}"
    ) + "".join(f"\n{name.replace('_', ' ')}: {in_words(value)}" for name, value in facts.items())


def in_words(value: Any) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{name} ({count})" for name, count in value.items())


def facts(round: Round, estimate: Estimate) -> dict[str, Any]:
    return {
        "study": round.study.slug,
        "round": round.number,
        "state": round.state,
        "seed": round.seed,
        **asdict(estimate),
    }
