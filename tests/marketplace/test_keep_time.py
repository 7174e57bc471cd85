from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from marketplace.models import (
    HIT,
    Assignment,
    HITType,
    LedgerEntry,
    Notification,
    NotificationDestination,
    RequestToken,
)
from marketplace.models.notification import Event
from marketplace.services.reviews import reject_assignment
from marketplace.services.timekeeping import keep_time
from marketplace.tasks import keep_time as keep_time_task
from tests.marketplace.factories import (
    make_accepted,
    make_hit,
    make_hit_type,
    make_requester,
    make_submitted,
)

pytestmark = pytest.mark.django_db


def test_a_hit_expires_when_its_lifetime_ends_and_frees_the_funds() -> None:
    hit_type = make_hit_type()
    hit = make_hit(hit_type, max_assignments=3)

    assert keep_time(at=timezone.now() + timedelta(hours=25)) == 1

    hit.refresh_from_db()
    assert (hit.status, hit.is_expired, hit.held_slots) == (HIT.Status.REVIEWABLE, True, 0)
    assert HITType.objects.get().available_count == 0
    assert keep_time(at=timezone.now() + timedelta(hours=26)) == 0


def test_what_nobody_finished_is_abandoned_and_open_again() -> None:
    hit_type = make_hit_type()
    hit = make_hit(hit_type, max_assignments=2)
    lapsed = [make_accepted(hit_type) for _ in range(2)]

    assert keep_time(at=timezone.now() + timedelta(minutes=29)) == 0
    assert keep_time(at=timezone.now() + timedelta(minutes=31)) == 2

    hit.refresh_from_db()
    assert (hit.available, hit.pending, hit.status) == (2, 0, HIT.Status.ASSIGNABLE)
    assert {Assignment.objects.get(pk=a.pk).status for a in lapsed} == {"Abandoned"}
    assert HITType.objects.get().available_count == 2


def test_a_submission_nobody_decided_is_approved_and_paid_after_the_delay() -> None:
    hit_type = make_hit_type(auto_approval=timedelta(hours=1))
    for _ in range(2):
        make_hit(hit_type)
    waiting, decided = make_submitted(hit_type), make_submitted(hit_type)
    reject_assignment(assignment=decided, feedback="Copied.", at=timezone.now())

    assert keep_time(at=timezone.now() + timedelta(minutes=59)) == 0
    assert keep_time(at=timezone.now() + timedelta(minutes=61)) == 1

    waiting.refresh_from_db()
    decided.refresh_from_db()
    assert (waiting.status, decided.status) == ("Approved", "Rejected")
    assert LedgerEntry.objects.get(kind="reward").assignment == waiting


def test_many_due_at_once_are_done_in_batches() -> None:
    requester = make_requester()
    for hit_type in (make_hit_type(requester), make_hit_type(requester)):
        for _ in range(70):
            make_hit(hit_type)

    assert keep_time(at=timezone.now() + timedelta(hours=25)) == 140

    assert not HIT.objects.filter(is_expired=False).exists()


def test_tokens_are_forgotten_after_a_day() -> None:
    make_hit(token="slot-1")

    keep_time(at=timezone.now() + timedelta(hours=23))
    assert RequestToken.objects.exists()
    keep_time(at=timezone.now() + timedelta(hours=24, seconds=1))
    assert not RequestToken.objects.exists()


def test_notifications_are_forgotten_a_month_after_they_were_delivered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = timezone.now()
    delivered = [make_notification(delivered_at=now + timedelta(hours=n)) for n in range(3)]
    waiting, given_up = make_notification(), make_notification(given_up_at=now)
    monkeypatch.setattr("marketplace.services.timekeeping.BATCH", 1)
    monkeypatch.setattr("marketplace.services.timekeeping.BATCHES", 1)

    keep_time(at=now + timedelta(days=29))
    assert Notification.objects.count() == 5
    keep_time(at=now + timedelta(days=40))
    assert set(Notification.objects.all()) == {*delivered[1:], waiting, given_up}
    for _ in range(3):
        keep_time(at=now + timedelta(days=400))
    assert set(Notification.objects.all()) == {waiting, given_up}


def make_notification(**more: datetime) -> Notification:
    destination = NotificationDestination.objects.first() or NotificationDestination.objects.create(
        requester=make_requester(), url="https://example.org/told", next_attempt_at=timezone.now()
    )
    return Notification.objects.create(
        destination=destination,
        event=Event.HIT_CREATED,
        event_at=timezone.now() - timedelta(days=1),
        next_attempt_at=timezone.now(),
        **more,
    )


def test_the_task_does_what_is_due_now() -> None:
    hit_type = make_hit_type()
    hit = make_hit(hit_type, at=timezone.now() - timedelta(days=2))

    keep_time_task.delay()

    hit.refresh_from_db()
    assert hit.is_expired
