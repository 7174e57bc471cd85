"""What a launch of a round asks for, and what it would cost."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from studies.models import Eligibility, Round, Story, Study
from studies.services.estimates import Estimate, estimate_cost
from studies.services.round_figures import median_time_of
from studies.services.round_tasks import NewTask, tasks_of_stories
from studies.task_types import TaskType

MAX_OVERLAP = 100
MAX_SLOTS = 1_000_000


class RoundRefused(Exception):
    """The round cannot be launched or changed in this way; the text says why."""


class AboveBudget(RoundRefused):
    """It costs more than what is left of the budget, and nobody has said that it may."""


@dataclass(frozen=True)
class Plan:
    """What a launch asks for."""

    study: Study
    task_type: TaskType
    overlap: int
    reward_usd: Decimal
    time_limit: timedelta = timedelta(minutes=30)
    lifetime: timedelta = timedelta(days=7)
    auto_approval_delay: timedelta = timedelta(days=3)
    eligibility: Eligibility = Eligibility.OPEN
    worker_cap: int | None = None
    apart_from: Sequence[Round] = ()
    pilot: bool = False
    limit: int | None = None
    # Whether it may cost more than what is left of the budget.
    above_budget: bool = False
    # What is done in the round; None: a task for each story.
    tasks: Sequence[NewTask] | None = None
    seed: int = field(default_factory=lambda: secrets.randbits(32))

    def __post_init__(self) -> None:
        refusals = [*self._of_money(), *self._of_times(), *self._of_work()]
        for refused, sentence in refusals:
            if refused:
                raise RoundRefused(sentence)

    def _of_money(self) -> list[tuple[bool, str]]:
        return [
            (self.reward_usd < 0, _("The reward cannot be negative.")),
            (self.reward_usd > 1000, _("The reward of one task is at most $1,000.")),
            (
                abs(self.reward_usd) <= 1000
                and self.reward_usd != self.reward_usd.quantize(Decimal("0.01")),
                _("The reward is in whole cents."),
            ),
        ]

    def _of_times(self) -> list[tuple[bool, str]]:
        return [
            (
                not timedelta(seconds=30) <= self.time_limit <= timedelta(days=365),
                _("The time limit is from 30 seconds to 365 days."),
            ),
            (
                not timedelta(seconds=30) <= self.lifetime <= timedelta(days=365),
                _("The lifetime is from 30 seconds to 365 days."),
            ),
            (
                not timedelta(0) <= self.auto_approval_delay <= timedelta(days=30),
                _("Automatic approval comes after 0 to 30 days."),
            ),
        ]

    def _of_work(self) -> list[tuple[bool, str]]:
        return [
            (
                not 1 <= self.overlap <= MAX_OVERLAP,
                _("Overlap is a whole number from 1 to %(max)s.") % {"max": MAX_OVERLAP},
            ),
            (not lets_work(self.worker_cap), cap_refusal()),
            (
                any(other.study_id != self.study.pk for other in self.apart_from),
                _("Rounds of one study alone can be kept apart."),
            ),
            (
                self.limit is not None and not 1 <= self.limit <= MAX_SLOTS,
                _("The limit is from 1 to %(max)s stories.") % {"max": f"{MAX_SLOTS:,}"},
            ),
            (
                self.task_type.from_stories is not (self.tasks is None),
                _("A round of “%(type)s” is launched with what is to be done in it.")
                % {"type": self.task_type.name},
            ),
            (
                not 0 <= self.seed < 2**63,
                _("The seed is a whole number from 0 to 9223372036854775807."),
            ),
        ]


def lets_work(worker_cap: int | None) -> bool:
    return worker_cap is None or 1 <= worker_cap <= MAX_SLOTS


def cap_refusal() -> str:
    return _("A worker does from 1 to %(max)s tasks.") % {"max": f"{MAX_SLOTS:,}"}


def stories_of(plan: Plan) -> QuerySet[Story]:
    """The stories that become tasks, in the order of import."""
    stories = Story.objects.filter(study=plan.study).order_by("pk")
    return stories[: plan.limit] if plan.limit is not None else stories


def tasks_of(plan: Plan) -> Sequence[NewTask]:
    if plan.tasks is not None:
        return plan.tasks
    return tasks_of_stories(plan.task_type, list(stories_of(plan)))


def count_tasks(plan: Plan) -> int:
    if plan.tasks is not None:
        return len(plan.tasks)
    count = Story.objects.filter(study=plan.study).count()
    return count if plan.limit is None else min(count, plan.limit)


def estimate_round(plan: Plan) -> Estimate:
    return estimate_cost(
        tasks=count_tasks(plan),
        overlap=plan.overlap,
        reward_usd=plan.reward_usd,
        fee_share=Decimal(settings.MARKETPLACE_FEE),
        median_time=median_time_of(plan.study, plan.task_type.slug),
    )
