"""A round's life: launch, extend, pause, resume, close. The marketplace's part is done by jobs."""

import random
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from studies import task_types
from studies.jobs import create_job
from studies.models import Eligibility, Job, JobState, Round, RoundState, Slot, Story, Study, Task
from studies.services import occupancy
from studies.services.estimates import Estimate, estimate_cost
from studies.services.round_figures import median_time_of, wanted_responses
from studies.task_types import TaskType

MAX_SLOTS = 1_000_000
MAX_OVERLAP = 100


class RoundRefused(Exception):
    """The round cannot be launched or changed in this way; the text says why."""


class RoundChanged(RoundRefused):
    """The round is not as the person saw it when they decided."""


class AlreadyLaunched(Exception):
    """This very launch has been made before; `round` is what came of it."""

    def __init__(self, round: Round) -> None:
        super().__init__(str(round))
        self.round = round


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
    pilot: bool = False
    limit: int | None = None
    seed: int = field(default_factory=lambda: secrets.randbits(32))

    def __post_init__(self) -> None:
        refusals = [
            (
                not 1 <= self.overlap <= MAX_OVERLAP,
                _("Overlap is a whole number from 1 to %(max)s.") % {"max": MAX_OVERLAP},
            ),
            (self.reward_usd < 0, _("The reward cannot be negative.")),
            (self.reward_usd > 1000, _("The reward of one task is at most $1,000.")),
            (
                self.reward_usd != self.reward_usd.quantize(Decimal("0.01")),
                _("The reward is in whole cents."),
            ),
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
            (self.limit is not None and self.limit < 1, _("The limit is at least one story.")),
            (not 0 <= self.seed < 2**63, _("The seed is a whole number, zero or more.")),
        ]
        for refused, sentence in refusals:
            if refused:
                raise RoundRefused(sentence)


def stories_of(plan: Plan) -> QuerySet[Story]:
    """The stories that become tasks, in the order of import."""
    stories = Story.objects.filter(study=plan.study).order_by("pk")
    return stories[: plan.limit] if plan.limit is not None else stories


def estimate_round(plan: Plan) -> Estimate:
    count = Story.objects.filter(study=plan.study).count()
    return estimate_cost(
        tasks=count if plan.limit is None else min(count, plan.limit),
        overlap=plan.overlap,
        reward_usd=plan.reward_usd,
        fee_share=Decimal(settings.MARKETPLACE_FEE),
        median_time=median_time_of(plan.study, plan.task_type.slug),
    )


@transaction.atomic
def launch_round(
    *, plan: Plan, user: Any = None, launch_key: uuid.UUID | None = None
) -> tuple[Round, Job]:
    """Make the round, its tasks and slots, and the job that publishes them.

    The caller enqueues or runs the job. Raises RoundRefused when there is nothing to annotate or
    the study has no qualified workers to offer it to, AlreadyLaunched when the key was used.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=plan.study.pk)
    if launch_key is not None and (made := Round.objects.filter(launch_key=launch_key).first()):
        raise AlreadyLaunched(made)
    stories = list(stories_of(plan))
    _refuse_launch(plan, study, len(stories))
    newest = study.rounds.aggregate(newest=Max("number"))["newest"] or 0
    round = Round.objects.create(
        study=study,
        number=newest + 1,
        task_type=plan.task_type.slug,
        schema_version=plan.task_type.schema_version,
        overlap=plan.overlap,
        reward_usd=plan.reward_usd,
        time_limit=plan.time_limit,
        lifetime=plan.lifetime,
        auto_approval_delay=plan.auto_approval_delay,
        eligibility=plan.eligibility,
        pilot=plan.pilot,
        seed=plan.seed,
        launched_by=user,
        launch_key=launch_key,
        expires_at=timezone.now() + plan.lifetime,
    )
    _add_tasks(round, plan.task_type, stories, first_position=1)
    return round, _marketplace_job("publish_round", round, user)


def _refuse_launch(plan: Plan, study: Study, stories: int) -> None:
    qualified = study.participants.filter(qualified_at__isnull=False)
    if plan.eligibility == Eligibility.QUALIFIED and not qualified.exists():
        raise RoundRefused(
            _("No worker is qualified for this study yet. Qualify some first, or open it to all.")
        )
    if not stories:
        raise RoundRefused(_("This study has no stories. Import some first."))
    if stories * plan.overlap > MAX_SLOTS:
        raise RoundRefused(_("A round has at most 1,000,000 slots. Launch it in parts."))


@transaction.atomic
def extend_round(
    *,
    round: Round,
    overlap: int = 0,
    stories: int = 0,
    seen_wanted: int | None = None,
    user: Any = None,
) -> Job:
    """Add `overlap` more workers to every task, or tasks for `stories` more stories, or both.

    `seen_wanted` is how many responses the round wanted when the person decided; when that has
    changed since (somebody else extended it, or the form was sent twice), the round is left alone
    and RoundChanged is raised.
    """
    Study.objects.select_for_update(no_key=True).get(pk=round.study_id)
    occupancy.lock_round(round)
    round.refresh_from_db()
    _refuse_unless(round, RoundState.OPEN, RoundState.PAUSED)
    if seen_wanted is not None and seen_wanted != wanted_responses(round):
        raise RoundChanged(
            _("The round has been extended since you opened that page. This is how it stands.")
        )
    fresh = list(
        Story.objects.filter(study=round.study)
        .exclude(tasks__round=round)
        .order_by("pk")[: max(stories, 0)]
    )
    count = round.tasks.count()
    _refuse_extension(round, overlap, stories, count=count, fresh=len(fresh))
    if is_expired(round):
        _offer_again(round)
    if overlap:
        round.overlap += overlap
        round.save(update_fields=["overlap"])
        round.tasks.update(overlap=F("overlap") + overlap)
        Slot.objects.bulk_create((Slot(round=round) for _n in range(count * overlap)), 5000)
    newest = round.tasks.aggregate(newest=Max("position"))["newest"] or 0
    _add_tasks(round, task_types.get(round.task_type), fresh, first_position=newest + 1)
    return _marketplace_job("publish_round", round, user)


def _refuse_extension(round: Round, overlap: int, stories: int, *, count: int, fresh: int) -> None:
    """`count` tasks are in the round, `fresh` of the stories asked for are there to be added."""
    if overlap < 0 or stories < 0 or not overlap + stories:
        raise RoundRefused(_("Say how many workers a task or how many stories to add."))
    if fresh < stories:
        raise RoundRefused(
            _("Only %(count)s stories of this study are not in the round yet.") % {"count": fresh}
        )
    if round.overlap + overlap > MAX_OVERLAP:
        raise RoundRefused(_("A task is done by at most %(max)s workers.") % {"max": MAX_OVERLAP})
    if (count + stories) * (round.overlap + overlap) > MAX_SLOTS:
        raise RoundRefused(_("A round has at most 1,000,000 slots. Launch another one."))


def pause_round(*, round: Round, user: Any = None) -> Job:
    """Hide the round's open slots from workers. Work in hand can be finished."""
    return _change(round, RoundState.PAUSED, (RoundState.OPEN, RoundState.PUBLISHING), user)


def resume_round(*, round: Round, user: Any = None) -> Job:
    """Bring the slots of a paused or expired round back, for its lifetime from now."""
    allowed = (RoundState.PAUSED, RoundState.OPEN) if is_expired(round) else (RoundState.PAUSED,)
    return _change(round, RoundState.OPEN, allowed, user)


def is_expired(round: Round) -> bool:
    """Whether an open round's lifetime is over: the marketplace offers it to nobody any more."""
    return (
        round.state == RoundState.OPEN
        and round.expires_at is not None
        and round.expires_at <= timezone.now()
    )


def close_round(*, round: Round, user: Any = None) -> Job:
    """Expire what is not taken, for good. Work in hand can be finished."""
    allowed = (RoundState.OPEN, RoundState.PAUSED, RoundState.PUBLISHING)
    return _change(round, RoundState.CLOSED, allowed, user)


@transaction.atomic
def _change(round: Round, state: RoundState, allowed: tuple[RoundState, ...], user: Any) -> Job:
    occupancy.lock_round(round)
    round.refresh_from_db()
    _refuse_unless(round, *allowed)
    round.state = state
    round.save(update_fields=["state"])
    if state == RoundState.OPEN:
        _offer_again(round)
    return _marketplace_job("publish_round", round, user)


def _offer_again(round: Round) -> None:
    """Start the lifetime anew; the job moves the expiration of the slots that are still open."""
    round.expires_at = timezone.now() + round.lifetime
    round.save(update_fields=["expires_at"])
    round.slots.update(shown=False)


def _refuse_unless(round: Round, *allowed: RoundState) -> None:
    if round.state not in allowed or round.past:
        raise RoundRefused(
            _("This round is %(state)s, so that is not possible.")
            % {"state": RoundState(round.state).label}
        )


def _add_tasks(
    round: Round, task_type: TaskType, stories: Sequence[Story], *, first_position: int
) -> None:
    draw = random.Random(f"{round.seed}:{first_position}")
    Task.objects.bulk_create(
        (
            Task(
                round=round,
                story=story,
                position=position,
                payload=task_type.item(story),
                overlap=round.overlap,
                tie_break=draw.getrandbits(31),
            )
            for position, story in enumerate(stories, first_position)
        ),
        batch_size=2000,
    )
    slots = len(stories) * round.overlap
    Slot.objects.bulk_create((Slot(round=round) for _n in range(slots)), batch_size=5000)


def _marketplace_job(kind: str, round: Round, user: Any) -> Job:
    """The job that brings the marketplace in line with the round; one waiting job is enough.

    Its row stays locked until the change is committed: a worker who claims it sees the change.
    """
    waiting = Job.objects.filter(kind=kind, state=JobState.QUEUED, payload={"round": round.pk})
    return waiting.select_for_update(no_key=True).first() or create_job(
        kind=kind, study=round.study, payload={"round": round.pk}, user=user
    )
