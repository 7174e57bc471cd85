"""A round's life: launch, extend, pause, resume, close. The marketplace's part is done by jobs."""

import uuid
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from studies import task_types
from studies.jobs import create_job
from studies.models import Eligibility, Job, JobState, Round, RoundState, Story, Study
from studies.services import occupancy
from studies.services.fees import cost_usd
from studies.services.plans import MAX_OVERLAP, MAX_SLOTS, AboveBudget, Plan, RoundRefused, tasks_of
from studies.services.round_figures import wanted_responses
from studies.services.round_tasks import add_slots, add_tasks, tasks_of_stories
from studies.services.study_figures import money_of


class RoundChanged(RoundRefused):
    """The round is not as the person saw it when they decided."""


class AlreadyLaunched(Exception):
    """This very launch has been made before; `round` is what came of it."""

    def __init__(self, round: Round) -> None:
        super().__init__(str(round))
        self.round = round


@transaction.atomic
def launch_round(
    *, plan: Plan, user: Any = None, launch_key: uuid.UUID | None = None
) -> tuple[Round, Job]:
    """Make the round, its tasks and slots, and the job that publishes them.

    The caller enqueues or runs the job. Raises RoundRefused when there is nothing to annotate or
    the study has no proficient workers to offer it to, AboveBudget, AlreadyLaunched when the key
    was used.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=plan.study.pk)
    if launch_key is not None and (made := Round.objects.filter(launch_key=launch_key).first()):
        raise AlreadyLaunched(made)
    tasks = tasks_of(plan)
    _refuse_launch(plan, study, len(tasks))
    if not plan.above_budget:
        _refuse_above_budget(study, cost_usd(plan.reward_usd) * len(tasks) * plan.overlap)
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
        worker_cap=plan.worker_cap,
        pilot=plan.pilot,
        seed=plan.seed,
        launched_by=user,
        launch_key=launch_key,
        expires_at=timezone.now() + plan.lifetime,
    )
    round.apart_from.set(plan.apart_from)
    add_tasks(round, tasks, first_position=1)
    return round, _marketplace_job("publish_round", round, user)


def _refuse_launch(plan: Plan, study: Study, tasks: int) -> None:
    proficient = study.participants.filter(qualified_at__isnull=False)
    if plan.eligibility == Eligibility.PROFICIENT and not proficient.exists():
        raise RoundRefused(
            _("No worker of this study is proficient yet. Review some first, or open it to all.")
        )
    if not tasks:
        raise RoundRefused(_("This study has no stories. Import some first."))
    if tasks * plan.overlap > MAX_SLOTS:
        raise RoundRefused(_("A round has at most 1,000,000 slots. Launch it in parts."))


def _refuse_above_budget(study: Study, added_usd: Decimal) -> None:
    """The caller holds the study's row, so that no two spend the same money."""
    left = money_of(study).left_usd
    if left is not None and added_usd > left:
        raise AboveBudget(_("This costs more than what is left of the budget."))


@transaction.atomic
def extend_round(
    *,
    round: Round,
    overlap: int = 0,
    stories: int = 0,
    seen_wanted: int | None = None,
    above_budget: bool = False,
    user: Any = None,
) -> Job:
    """Add `overlap` more workers to every task, or tasks for `stories` more stories, or both.

    `seen_wanted` is how many responses the round wanted when the person decided; when that has
    changed since (somebody else extended it, or the form was sent twice), the round is left alone
    and RoundChanged is raised. Raises AboveBudget, and RoundRefused for what cannot be.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=round.study_id)
    occupancy.lock_round(round)
    round.refresh_from_db()
    refuse_unless(round, RoundState.OPEN, RoundState.PAUSED)
    if seen_wanted is not None and seen_wanted != wanted_responses(round):
        raise RoundChanged(
            _("The round has been extended since you opened that page. This is how it stands.")
        )
    count = round.tasks.count()
    _refuse_extension(round, overlap, stories, count)
    fresh = _fresh_stories(round, stories)
    if not above_budget:
        places = count * overlap + len(fresh) * (round.overlap + overlap)
        _refuse_above_budget(study, cost_usd(round.reward_usd) * places)
    if is_expired(round):
        _offer_again(round)
    if overlap:
        round.overlap += overlap
        round.save(update_fields=["overlap"])
        round.tasks.update(overlap=F("overlap") + overlap)
        add_slots(round, count * overlap)
    newest = round.tasks.aggregate(newest=Max("position"))["newest"] or 0
    tasks = tasks_of_stories(task_types.get(round.task_type), fresh)
    add_tasks(round, tasks, first_position=newest + 1)
    return _marketplace_job("publish_round", round, user)


def _fresh_stories(round: Round, count: int) -> list[Story]:
    """Raises RoundRefused."""
    if count and not task_types.get(round.task_type).from_stories:
        raise RoundRefused(_("This round's tasks are no stories. Add workers to it instead."))
    stories = Story.objects.filter(study=round.study).exclude(tasks__round=round)
    fresh = list(stories.order_by("pk")[:count])
    if len(fresh) < count:
        raise RoundRefused(
            _("Only %(count)s stories of this study are not in the round yet.")
            % {"count": len(fresh)}
        )
    return fresh


def _refuse_extension(round: Round, overlap: int, stories: int, count: int) -> None:
    """`count` tasks are in the round."""
    if overlap < 0 or stories < 0 or not overlap + stories:
        raise RoundRefused(_("Say how many workers a task or how many stories to add."))
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
    refuse_unless(round, *allowed)
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


def refuse_unless(round: Round, *allowed: RoundState) -> None:
    if round.state not in allowed or round.past:
        raise RoundRefused(
            _("This round is %(state)s, so that is not possible.")
            % {"state": RoundState(round.state).label}
        )


def _marketplace_job(kind: str, round: Round, user: Any) -> Job:
    """The job that brings the marketplace in line with the round; one waiting job is enough.

    Its row stays locked until the change is committed: a worker who claims it sees the change.
    """
    waiting = Job.objects.filter(kind=kind, state=JobState.QUEUED, payload={"round": round.pk})
    return waiting.select_for_update(no_key=True).first() or create_job(
        kind=kind, study=round.study, payload={"round": round.pk}, user=user
    )
