"""What workers say to rejections reaches us, and a rejection is taken back once."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from studies import mturk
from studies.models import (
    Assignment,
    AssignmentState,
    Payment,
    PaymentKind,
    PaymentState,
    Round,
)
from studies.services import payments, rejections
from studies.tasks import look_for_answers
from tests.studies import factories as make
from tests.studies.test_settlement import notify
from tests.studies.test_two_at_once import at_once, beside
from tests.studies_admin.responses import make_response

pytestmark = pytest.mark.django_db
REASON = "The changed assertion is still true."
TEXT = "It is not:\nsee <b>sentence 4</b>."
SAID_AT = datetime(2026, 5, 3, 12, 30, tzinfo=UTC)


class Marketplace:
    """Stands in for studies.mturk: one assignment's facts, and what it was told."""

    def __init__(self) -> None:
        self.facts: dict[str, mturk.AssignmentFacts] = {}
        self.calls: list[tuple[str, ...]] = []
        self.refuses = ""
        self.away = False

    def submitted_assignment(self, assignment_id: str) -> mturk.AssignmentFacts | None:
        if self.away:
            raise mturk.MarketplaceUnavailable("The marketplace does not answer.")
        return self.facts.get(assignment_id)

    def has(self, assignment: Assignment, status: str = "Rejected", reply: str = "") -> None:
        assert assignment.participant is not None and assignment.slot is not None
        self.facts[assignment.marketplace_id] = mturk.AssignmentFacts(
            assignment_id=assignment.marketplace_id,
            worker_id=assignment.participant.worker.marketplace_id,
            hit_id=assignment.slot.hit_id,
            status=status,
            feedback=REASON,
            reply=reply,
            replied_at=SAID_AT if reply else None,
        )

    def call(self, name: str) -> Callable[..., None]:
        def called(*arguments: str) -> None:
            self.calls.append((name, *arguments))
            if self.refuses:
                raise mturk.MarketplaceRefused("AWS.MechanicalTurk.Refused", self.refuses)

        return called


@pytest.fixture
def marketplace(monkeypatch: pytest.MonkeyPatch) -> Marketplace:
    double = Marketplace()
    monkeypatch.setattr(mturk, "submitted_assignment", double.submitted_assignment)
    for name in ("approve", "approve_after_all", "reject"):
        monkeypatch.setattr(mturk, name, double.call(name))
    return double


def rejected(round: Round | None = None, *, sent: bool = True) -> Assignment:
    """By us: the wish, and where `sent`, the marketplace has it."""
    response = make_response(round or make.make_round())
    assignment = response.assignment
    payments.decide_payment(
        assignments=[assignment], kind=PaymentKind.REJECT, reason=REASON, user=None
    )
    if sent:
        Payment.objects.update(state=PaymentState.CONFIRMED, confirmed_at=timezone.now())
        Assignment.objects.update(state=AssignmentState.REJECTED)
    assignment.refresh_from_db()
    return assignment


def event(assignment: Assignment, **changes: Any) -> dict[str, Any]:
    assert assignment.participant is not None
    return {
        "EventType": "RejectionAnswered",
        "EventTimestamp": "2026-05-03T12:30:00Z",
        "AssignmentId": assignment.marketplace_id,
        "WorkerId": assignment.participant.worker.marketplace_id,
        "FabulaReply": TEXT,
    } | changes


def kept() -> tuple[str, datetime | None]:
    payment = Payment.objects.get()
    return payment.answer, payment.answered_at


# --- How an answer reaches us ---------------------------------------------------------------------


@pytest.mark.parametrize("sent", [True, False])
def test_an_answer_is_kept_once_also_when_our_rejection_is_not_confirmed_yet(sent: bool) -> None:
    assignment = rejected(sent=sent)

    assert notify(event(assignment)) == 204
    assert notify(event(assignment), event(assignment, FabulaReply="Other words.")) == 204

    assert kept() == (TEXT, SAID_AT)


@pytest.mark.parametrize("time", ["", "soon", "2026-05-03T12:30:00", "2026-99-03T12:30:00Z", None])
def test_an_answer_without_a_time_that_can_be_read_has_that_of_its_arrival(time: Any) -> None:
    before = timezone.now()

    notify(event(rejected(), EventTimestamp=time))

    text, at = kept()
    assert text == TEXT
    assert at is not None and before <= at <= timezone.now()


@pytest.mark.parametrize("changes", [{"WorkerId": "A2OTHER"}, {"FabulaReply": " "}])
def test_what_is_no_answer_of_this_worker_is_not_kept(changes: dict[str, str]) -> None:
    assignment = rejected()

    assert notify(event(assignment, **changes)) == 204

    assert kept() == ("", None)


def test_an_answer_to_a_rejection_made_elsewhere_is_kept_with_its_reason(
    marketplace: Marketplace, django_capture_on_commit_callbacks: Any
) -> None:
    assignment = make_response(make.make_round()).assignment
    marketplace.has(assignment, reply=TEXT)

    with django_capture_on_commit_callbacks(execute=True):
        notify(event(assignment))

    payment = Payment.objects.get()
    assert (payment.kind, payment.state) == (PaymentKind.REJECT, PaymentState.CONFIRMED)
    assert (payment.reason, payment.decided_by) == (REASON, None)
    assert kept() == (TEXT, SAID_AT)


def test_an_answer_whose_notification_was_lost_is_found_by_asking(
    marketplace: Marketplace,
) -> None:
    round = make.make_round(stories=4)
    lost, silent, old = (rejected(round) for _ in range(3))
    for assignment in (lost, silent, old):
        marketplace.has(assignment)
    marketplace.has(lost, reply=TEXT)
    marketplace.has(old, reply=TEXT)
    long_ago = timezone.now() - rejections.OVERRULED_WITHIN
    Assignment.objects.filter(pk=old.pk).update(submitted_at=long_ago)

    marketplace.away = True
    look_for_answers()
    assert not Payment.objects.exclude(answer="").exists()
    marketplace.away = False
    look_for_answers()
    look_for_answers()

    (found,) = Payment.objects.exclude(answer="")
    assert (found.assignment, found.answer, found.answered_at) == (lost, TEXT, SAID_AT)


def test_the_database_keeps_no_answer_without_its_time_and_no_rejection_taken_back() -> None:
    rejected()

    for wrong in ({"answer": TEXT}, {"overruled_at": SAID_AT}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Payment.objects.update(**wrong)


# --- Approving after all --------------------------------------------------------------------------


def test_a_rejection_is_taken_back_and_paid_once(marketplace: Marketplace) -> None:
    assignment = rejected()
    marketplace.has(assignment)

    assert rejections.approve_after_all(assignment=assignment)
    assert not rejections.approve_after_all(assignment=assignment)
    assert payments.send_payments() == 1
    assert payments.send_payments() == 0
    assert not rejections.approve_after_all(assignment=assignment)

    assert marketplace.calls == [("approve_after_all", assignment.marketplace_id)]
    payment = Payment.objects.get()
    assert (payment.kind, payment.state) == (PaymentKind.APPROVE, PaymentState.CONFIRMED)
    assert payment.reason == REASON
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.APPROVED


def test_an_approval_that_was_sent_before_a_crash_is_recognised(marketplace: Marketplace) -> None:
    assignment = rejected()
    rejections.approve_after_all(assignment=assignment)
    marketplace.has(assignment, "Approved")
    marketplace.refuses = "This operation can be called with a status of: Submitted"

    assert payments.send_payments() == 1

    assert Payment.objects.get().state == PaymentState.CONFIRMED


def test_what_the_marketplace_refuses_is_told_and_can_be_tried_again(
    marketplace: Marketplace,
) -> None:
    assignment = rejected()
    marketplace.has(assignment)
    rejections.approve_after_all(assignment=assignment)
    marketplace.refuses = "This Requester has insufficient funds."

    assert payments.send_payments() == 0
    assert Payment.objects.get().error == marketplace.refuses
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.REJECTED
    marketplace.refuses = ""
    assert rejections.approve_after_all(assignment=assignment)
    assert payments.send_payments() == 1

    assert Payment.objects.get().error == ""


@pytest.mark.parametrize("case", ["undecided", "approved", "not sent", "late"])
def test_only_a_rejection_that_stands_is_taken_back_and_only_in_time(case: str) -> None:
    if case == "undecided":
        assignment = make_response(make.make_round()).assignment
    else:
        assignment = rejected(sent=case != "not sent")
    if case == "approved":
        Payment.objects.update(kind=PaymentKind.APPROVE)
        Assignment.objects.update(state=AssignmentState.APPROVED)
    if case == "late":
        late = timezone.now() - rejections.OVERRULED_WITHIN - timedelta(seconds=1)
        Assignment.objects.update(submitted_at=late)

    assert not rejections.approve_after_all(assignment=assignment)


@at_once
def test_two_people_who_take_a_rejection_back_wish_it_once() -> None:
    assignment = rejected()
    wished: list[bool] = []

    def approve() -> None:
        wished.append(rejections.approve_after_all(assignment=assignment))

    with transaction.atomic():
        approve()
        other = beside(approve)
        other.join(0.5)
    other.join(10)

    assert wished == [True, False]


def test_what_is_overruled_while_a_slow_job_still_sends_the_rejection_is_paid(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = rejected(sent=False)
    calls: list[str] = []

    def reject(assignment_id: str, reason: str) -> None:
        calls.append(assignment_id)
        if len(calls) > 1:
            marketplace.has(assignment)
            return
        # Before the first call arrives, another job makes the same one, and somebody looks again.
        assert payments.send_payments() == 1
        assert rejections.approve_after_all(assignment=assignment)
        raise mturk.MarketplaceRefused("AWS.MechanicalTurk.Refused", "It is rejected already.")

    monkeypatch.setattr(mturk, "reject", reject)

    assert payments.send_payments() == 0
    assert payments.send_payments() == 1

    assert marketplace.calls == [("approve_after_all", assignment.marketplace_id)]
    payment = Payment.objects.get()
    assert (payment.kind, payment.state) == (PaymentKind.APPROVE, PaymentState.CONFIRMED)
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.APPROVED
