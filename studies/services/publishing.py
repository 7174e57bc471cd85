"""Bring the marketplace in line with a round: a job that can be killed anywhere and run again.

One HIT a slot. What a HIT is for stands in the marketplace too (its annotation is the slot's key),
so a run that follows a killed one finds what exists before it creates anything.
"""

from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies import mturk, task_types
from studies.jobs import JobContext, JobFailure, JobLater, handles
from studies.locks import alone
from studies.models import (
    Assignment,
    AssignmentState,
    Eligibility,
    Round,
    RoundState,
    Slot,
)
from studies.mturk_requirements import APPROVAL_RATE, APPROVED_HITS, LOCALE, requirement
from studies.services.qualification import (
    ensure_qualification_type,
    forget_qualification_type,
)

PUBLISHERS = 4
CHUNK = 200
ANNOTATION_PREFIX = "fabula:"
PUBLISHED_IN = (RoundState.PUBLISHING, RoundState.OPEN)
HIDDEN_SINCE = timedelta(minutes=1)
LOCK_SPACE = 4201


@handles("publish_round", name=gettext_lazy("Publish a round"))
def publish_round(job: JobContext) -> None:
    """Create what is missing, then show or hide the slots as the round's state says."""
    round = Round.objects.select_related("study").get(pk=job.payload["round"])
    try:
        with alone(LOCK_SPACE, round.pk, otherwise=_("Another job is changing this round.")):
            round.refresh_from_db()
            _find_published(job, round)
            if round.state in PUBLISHED_IN:
                _prepare(round)
                _publish_missing(job, round)
            _set_visibility(job, round)
    except mturk.MarketplaceUnavailable as error:
        raise JobLater(str(error), seconds=20) from error
    except mturk.MarketplaceRefused as error:
        raise JobFailure(
            _("The marketplace refused: %(message)s (%(code)s)")
            % {"message": error, "code": error.code}
        ) from error


def task_page_url(round: Round) -> str:
    return f"{settings.TASK_SITE_URL}{reverse('task', args=[round.public_id])}"


def notification_url() -> str:
    return f"{settings.TASK_SITE_URL}{reverse('marketplace-notifications')}"


def requirements(round: Round) -> list[dict[str, object]]:
    """The round's QualificationRequirements, in MTurk's own terms."""
    chosen = [requirement(round.hold_qualification_type_id, "DoesNotExist")]
    if round.eligibility == Eligibility.STAGE1:
        chosen += [
            requirement(APPROVED_HITS, "GreaterThanOrEqualTo", integers=[5000]),
            requirement(APPROVAL_RATE, "GreaterThanOrEqualTo", integers=[98]),
            requirement(LOCALE, "In", countries=["US", "CA"]),
        ]
    elif round.eligibility == Eligibility.PROFICIENT:
        chosen.append(requirement(round.study.qualification_type_id, "Exists"))
    return chosen


def described(round: Round) -> str:
    """Names study and round: two rounds may otherwise look alike in a worker's list."""
    task = str(task_types.get(round.task_type).hit_description)
    if not round.study.title:
        return task
    return _("For the study “%(study)s”, round %(number)s. %(task)s") % {
        "study": round.study.title,
        "number": round.number,
        "task": task,
    }


def _prepare(round: Round) -> None:
    """Create the HIT type once. A qualification type left by a killed run stays unused."""
    if not round.hold_qualification_type_id:
        round.hold_qualification_type_id = mturk.create_qualification_type(
            name=f"Nothing left in {round.study.slug} {round.number}",
            description=_("Held by workers while no task of this round suits them."),
        )
        round.save(update_fields=["hold_qualification_type_id"])
    if not round.hit_type_id:
        if round.eligibility == Eligibility.PROFICIENT:
            ensure_qualification_type(round.study)
        task_type = task_types.get(round.task_type)
        hit_type = mturk.HitType(
            title=str(task_type.hit_title),
            description=described(round),
            keywords=str(task_type.hit_keywords),
            reward_usd=round.reward_usd,
            time_limit=round.time_limit,
            auto_approval_delay=round.auto_approval_delay,
            requirements=requirements(round),
        )
        try:
            hit_type_id = mturk.create_hit_type(hit_type)
        except mturk.QualificationTypeGone as error:
            _forget_qualification_types(round)
            raise JobLater(_("A qualification is gone; a new one is made."), seconds=1) from error
        mturk.subscribe(hit_type_id, notification_url())
        round.hit_type_id = hit_type_id
        round.save(update_fields=["hit_type_id"])


def _forget_qualification_types(round: Round) -> None:
    """Which of them is gone is not said: both are made anew."""
    Round.objects.filter(pk=round.pk).update(hold_qualification_type_id="")
    forget_qualification_type(round.study)


def _find_published(job: JobContext, round: Round) -> None:
    """Adopt HITs of this round that an earlier run created and did not note.

    Whatever the round's state is: what nobody noted has to be hidden, too. Before it has a HIT type
    there is nothing to find. MTurk's own guard against repeats lapses after a day.
    """
    if not round.hit_type_id or not round.slots.filter(hit_id="").exists():
        return
    message = _("Looking for what an earlier run has published")
    job.progress(0, None, message)
    missing = {str(key): pk for pk, key in round.slots.filter(hit_id="").values_list("pk", "key")}
    for seen, hit in enumerate(mturk.published_hits(), start=1):
        key = hit.annotation.removeprefix(ANNOTATION_PREFIX)
        if key in missing:
            Slot.objects.filter(pk=missing.pop(key), hit_id="").update(hit_id=hit.hit_id)
        # Each kill during a long look is of a job that gets further.
        job.progress(seen, None, message)


def _publish_missing(job: JobContext, round: Round) -> None:
    total = round.slots.count()
    done = round.slots.exclude(hit_id="").count()
    url = task_page_url(round)
    lifetime = max((round.expires_at or timezone.now()) - timezone.now(), timedelta(seconds=30))
    with ThreadPoolExecutor(max_workers=PUBLISHERS) as pool:
        while slots := list(round.slots.filter(hit_id="").order_by("pk")[:CHUNK]):
            if not Round.objects.filter(pk=round.pk, state__in=PUBLISHED_IN).exists():
                return
            futures: dict[Future[str], Slot] = {
                pool.submit(
                    mturk.create_hit,
                    hit_type_id=round.hit_type_id,
                    url=url,
                    key=f"{ANNOTATION_PREFIX}{slot.key}",
                    lifetime=lifetime,
                ): slot
                for slot in slots
            }
            for future in as_completed(futures):
                Slot.objects.filter(pk=futures[future].pk).update(hit_id=future.result())
                done += 1
                job.progress(done, total, _("Publishing slots"))
    Round.objects.filter(pk=round.pk, state=RoundState.PUBLISHING).update(state=RoundState.OPEN)


def _set_visibility(job: JobContext, round: Round) -> None:
    """Expire the open slots of a paused or closed round; bring back those of a resumed one."""
    round.refresh_from_db()
    show = round.state == RoundState.OPEN
    until = round.expires_at if show and round.expires_at else timezone.now() - HIDDEN_SINCE
    finished = Assignment.objects.filter(
        slot=OuterRef("pk"),
        state__in=[AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED],
    )
    to_change = round.slots.exclude(hit_id="").filter(~Exists(finished), shown=not show)
    total, done = to_change.count(), 0
    message = _("Bringing slots back") if show else _("Hiding slots")
    with ThreadPoolExecutor(max_workers=PUBLISHERS) as pool:
        while slots := list(to_change.order_by("pk")[:CHUNK]):
            futures = {
                pool.submit(mturk.set_expiration, slot.hit_id, until): slot for slot in slots
            }
            for future in as_completed(futures):
                future.result()
                Slot.objects.filter(pk=futures[future].pk).update(shown=show)
                done += 1
                job.progress(done, total, message)
