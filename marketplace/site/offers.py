"""A HIT group as a worker sees it: what it pays, how long it takes, whether it is open to them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import TypedDict

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, F, OuterRef, Subquery
from django.db.models.functions import Extract, JSONObject
from django.utils import timezone
from django.utils.translation import gettext as _

from marketplace.models import HIT, Assignment, HITType, Worker
from marketplace.services.groups import HITGroup
from marketplace.site.words import hourly_usd, length_words, typical_words, usd

# The median of the latest submissions, once there are enough to mean something.
MEASURED_AT_MOST = 101
MEASURED_AT_LEAST = 5
# Of what has ended, to find as many: some was given up.
LOOKED_AT = 2 * MEASURED_AT_MOST


class Attempt(TypedDict):
    """Of a worker at a HIT of the group; it took no time that is known if it was given up."""

    worker: int
    seconds: float | None


@dataclass(frozen=True)
class Offer:
    """`ends_at` is None when nothing of the group can be accepted by anyone right now."""

    group: HITGroup
    ends_at: datetime | None
    has_new: bool
    took: tuple[timedelta, ...]

    @property
    def hit_type(self) -> HITType:
        return self.group.hit_type

    @property
    def is_open(self) -> bool:
        return self.group.can_accept and self.has_new and self.group.held is None

    @property
    def reasons(self) -> list[str]:
        """Why the worker cannot accept, each in a sentence; empty when they can."""
        reasons = [unmet.sentence for unmet in self.group.unmet]
        if not reasons and self.ends_at and not self.has_new:
            reasons.append(_("You have done all of these that are open."))
        return reasons

    @property
    def reward(self) -> str:
        return usd(self.hit_type.reward_usd)

    @property
    def time_allowed(self) -> str:
        return length_words(self.hit_type.assignment_duration)

    @property
    def decided_within(self) -> str:
        return length_words(self.hit_type.auto_approval_delay)

    @property
    def measured(self) -> int:
        return len(self.took) if len(self.took) >= MEASURED_AT_LEAST else 0

    @property
    def typical(self) -> timedelta | None:
        if not self.measured:
            return None
        return timedelta(seconds=median(length.total_seconds() for length in self.took))

    @property
    def takes(self) -> str:
        return typical_words(self.typical) if self.typical else ""

    @property
    def hourly(self) -> str:
        return usd(hourly_usd(self.hit_type.reward_usd, self.typical)) if self.typical else ""


def offers_of(worker: Worker, groups: Sequence[HITGroup]) -> list[Offer]:
    """The groups with what is known about each, in the order given."""
    known = _measured(worker, [group.hit_type.pk for group in groups])
    return [Offer(group, *known[group.hit_type.pk]) for group in groups]


def _measured(
    worker: Worker, hit_types: Sequence[int]
) -> dict[int, tuple[datetime | None, bool, tuple[timedelta, ...]]]:
    acceptable = HIT.objects.assignable(timezone.now()).filter(hit_type=OuterRef("pk"))
    done = Assignment.objects.filter(worker=worker, hit=OuterRef("pk")).exclude(
        status__in=Assignment.GIVEN_UP
    )
    ended = Assignment.objects.filter(hit__hit_type=OuterRef("pk")).exclude(
        status=Assignment.Status.ACCEPTED
    )
    seconds = Extract(F("submitted_at") - F("accepted_at"), "epoch")
    attempts = ended.order_by("-id").values(attempt=JSONObject(worker=F("worker"), seconds=seconds))
    rows = HITType.objects.filter(pk__in=hit_types).annotate(
        ends_at=Subquery(acceptable.order_by("-expires_at").values("expires_at")[:1]),
        has_new=Exists(acceptable.filter(~Exists(done))),
        ended=ArraySubquery(attempts[:LOOKED_AT]),
    )
    return {
        pk: (ends_at, has_new, _lengths(ended))
        for pk, ends_at, has_new, ended in rows.values_list("pk", "ends_at", "has_new", "ended")
    }


def _lengths(ended: Iterable[Attempt]) -> tuple[timedelta, ...]:
    """How long the submitted ones took, of what has ended (the latest first). Who had given one up
    before may have got their text back with the next: how long that work took is not known."""
    lengths = []
    gave_up = set()
    for attempt in reversed(list(ended)):
        worker, seconds = attempt["worker"], attempt["seconds"]
        if seconds is None:
            gave_up.add(worker)
        elif worker in gave_up:
            gave_up.remove(worker)
        else:
            lengths.append(timedelta(seconds=seconds))
    return tuple(lengths[-MEASURED_AT_MOST:])


def why_nothing_left(hit_type: HITType) -> str:
    """Why nobody can accept a HIT of the group right now."""
    hits = hit_type.hits.exclude(status=HIT.Status.DISPOSED)
    now = timezone.now()
    if hits.filter(pending__gt=0, expires_at__gt=now).exists():
        return _(
            "All of these are taken right now. If someone returns one or runs out of time, "
            "it comes back here."
        )
    if hits.filter(available__gt=0, expires_at__lte=now).exists():
        return _("The requester has closed these for now. They come back if they are reopened.")
    return _("All of these are done.")
