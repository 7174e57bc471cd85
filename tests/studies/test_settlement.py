"""What the marketplace says about assignments, applied to ours."""

import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from studies import mturk
from studies.models import (
    Assignment,
    AssignmentState,
    Hold,
    Payment,
    PaymentKind,
    PaymentState,
    Response,
    ResponseState,
    Round,
    Slot,
)
from studies.services import holds, occupancy, payments, reservation, settlement, submission
from studies.services.round_figures import figures_of
from tests.studies import factories as make

pytestmark = pytest.mark.django_db


class Marketplace:
    """Stands in for studies.mturk: what it was told, and what it answers."""

    def __init__(self) -> None:
        self.submitted: dict[str, mturk.AssignmentFacts] = {}
        self.calls: list[tuple[str, ...]] = []
        self.away = False

    def submitted_assignment(self, assignment_id: str) -> mturk.AssignmentFacts | None:
        if self.away:
            raise mturk.MarketplaceUnavailable("The marketplace does not answer.")
        return self.submitted.get(assignment_id)

    def has(self, assignment: Assignment, status: str = "Submitted") -> None:
        assert assignment.participant is not None and assignment.slot is not None
        self.submitted[assignment.marketplace_id] = mturk.AssignmentFacts(
            assignment_id=assignment.marketplace_id,
            worker_id=assignment.participant.worker.marketplace_id,
            hit_id=assignment.slot.hit_id,
            status=status,
        )

    def call(self, name: str) -> Callable[..., None]:
        return lambda *arguments: self.calls.append((name, *arguments))


@pytest.fixture
def marketplace(monkeypatch: pytest.MonkeyPatch) -> Marketplace:
    double = Marketplace()
    monkeypatch.setattr(mturk, "submitted_assignment", double.submitted_assignment)
    for name in ("approve", "reject", "grant_qualification", "revoke_qualification"):
        monkeypatch.setattr(mturk, name, double.call(name))
    return double


def accepted(round: Round) -> Assignment:
    return reservation.reserve_task(
        round=round,
        participant=make.make_participant(round),
        frame=make.make_frame(make.free_slot(round)),
    )


def submitted(round: Round) -> Assignment:
    assignment = accepted(round)
    answers = {"assertion": "a", "justification": [1], "changed_assertion": "b", "revision": []}
    submission.submit_response(assignment=assignment, answers=answers, cautions=[])
    assignment.refresh_from_db()
    return assignment


def event(assignment: Assignment, kind: str) -> dict[str, Any]:
    assert assignment.participant is not None and assignment.slot is not None
    return {
        "EventType": kind,
        "HITId": assignment.slot.hit_id,
        "AssignmentId": assignment.marketplace_id,
        "WorkerId": assignment.participant.worker.marketplace_id,
    }


def notify(*events: dict[str, Any], secret: str = "") -> int:
    body = json.dumps({"EventDocVersion": "2014-08-15", "Events": list(events)})
    key = (secret or settings.MTURK_SIGNING_SECRET).encode()
    mac = hmac.new(key, body.encode(), hashlib.sha256).hexdigest()
    return (
        Client(enforce_csrf_checks=True)
        .post(
            reverse("marketplace-notifications"),
            body,
            content_type="application/json",
            headers={"X-Fabula-Signature": f"sha256={mac}"},
        )
        .status_code
    )


def test_a_confirmed_response_is_recorded_once(marketplace: Marketplace) -> None:
    assignment = submitted(make.make_round())
    marketplace.has(assignment)

    assert settlement.confirm_response(assignment.pk)
    first = Response.objects.get().confirmed_at
    assert settlement.confirm_response(assignment.pk)

    response = Response.objects.get()
    assert response.state == ResponseState.CONFIRMED
    assert response.confirmed_at == first


def test_a_submitted_event_leads_to_confirmation(
    marketplace: Marketplace, django_capture_on_commit_callbacks: Any
) -> None:
    assignment = submitted(make.make_round())
    marketplace.has(assignment)

    with django_capture_on_commit_callbacks(execute=True):
        assert notify(event(assignment, "AssignmentSubmitted")) == 204

    assert Response.objects.get().state == ResponseState.CONFIRMED


def test_a_returned_event_frees_the_task_and_its_repetition_changes_nothing() -> None:
    round = make.make_round()
    assignment = accepted(round)

    assert notify(event(assignment, "AssignmentReturned")) == 204
    assert notify(event(assignment, "AssignmentReturned")) == 204

    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.RETURNED
    assert sum(make.tasks_taken(round)) == 0


@pytest.mark.parametrize("kind", ["AssignmentReturned", "AssignmentAbandoned"])
def test_a_response_whose_assignment_was_given_back_frees_its_place_at_once(kind: str) -> None:
    round = make.make_round()
    assignment = submitted(round)

    assert notify(event(assignment, kind)) == 204
    assert notify(event(assignment, kind)) == 204

    assert Response.objects.get().state == ResponseState.UNCONFIRMED
    assert sum(make.tasks_taken(round)) == 0


def test_a_confirmed_response_stays_whatever_is_told_of_it_later(marketplace: Marketplace) -> None:
    round = make.make_round()
    assignment = submitted(round)
    marketplace.has(assignment)
    settlement.confirm_response(assignment.pk)

    assert notify(event(assignment, "AssignmentReturned")) == 204

    assert Response.objects.get().state == ResponseState.CONFIRMED
    assert sum(make.tasks_taken(round)) == 1


@pytest.mark.parametrize("events", ["[]", '["x", null, 3]', '{"a": 1}', "7", "null", '[{"a": []}]'])
def test_a_signed_notification_that_is_none_is_no_crash(events: str) -> None:
    body = f'{{"Events": {events}}}'
    mac = hmac.new(settings.MTURK_SIGNING_SECRET.encode(), body.encode(), hashlib.sha256)
    response = Client().post(
        reverse("marketplace-notifications"),
        body,
        content_type="application/json",
        headers={"X-Fabula-Signature": f"sha256={mac.hexdigest()}"},
    )

    assert response.status_code in {204, 400}


def test_a_notification_with_a_wrong_signature_changes_nothing() -> None:
    assignment = accepted(make.make_round())

    assert notify(event(assignment, "AssignmentReturned"), secret="guessed") == 403

    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.ACCEPTED


def test_a_returned_event_of_another_worker_changes_nothing() -> None:
    assignment = accepted(make.make_round())
    other = event(assignment, "AssignmentReturned") | {"WorkerId": "A2SOMEBODYELSE"}

    assert notify(other) == 204

    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.ACCEPTED


def test_a_response_that_never_arrived_becomes_unconfirmed_after_the_deadline(
    marketplace: Marketplace,
) -> None:
    round = make.make_round()
    assignment = submitted(round)
    assert not settlement.confirm_response(assignment.pk)
    assert Response.objects.get().state == ResponseState.SUBMITTED

    Assignment.objects.update(deadline=timezone.now() - timedelta(minutes=5))
    assert not settlement.confirm_response(assignment.pk)

    assert Response.objects.get().state == ResponseState.UNCONFIRMED
    assert sum(make.tasks_taken(round)) == 0


def test_while_the_marketplace_is_away_nothing_is_decided(marketplace: Marketplace) -> None:
    assignment = submitted(make.make_round())
    Assignment.objects.update(deadline=timezone.now() - timedelta(minutes=5))
    marketplace.away = True

    with pytest.raises(mturk.MarketplaceUnavailable):
        settlement.confirm_response(assignment.pk)

    assert Response.objects.get().state == ResponseState.SUBMITTED


def test_an_unconfirmed_response_that_had_arrived_after_all_counts(
    marketplace: Marketplace,
) -> None:
    round = make.make_round(stories=1, overlap=1)
    assignment = submitted(round)
    occupancy.never_arrived(assignment=assignment)
    Slot.objects.filter(assignments=assignment).update(spent=True)
    Slot.objects.create(round=round, hit_id=make.new_hit_id())
    accepted(round)
    marketplace.has(assignment)

    assert settlement.confirm_response(assignment.pk)

    assert Response.objects.get().state == ResponseState.CONFIRMED
    task = round.tasks.get()
    assert (task.taken, task.overlap) == (2, 2)


def test_a_submission_without_a_response_gets_a_new_slot(marketplace: Marketplace) -> None:
    round = make.make_round(stories=1, overlap=1)
    assignment = accepted(round)
    marketplace.has(assignment)

    assert not settlement.confirm_response(assignment.pk)
    assert not settlement.confirm_response(assignment.pk)

    assert make.tasks_taken(round) == [0]
    assert Slot.objects.filter(round=round, spent=True).count() == 1
    assert Slot.objects.filter(round=round, hit_id="").count() == 1


def test_submissions_without_a_response_cannot_use_up_the_budget() -> None:
    round = make.make_round(stories=5, overlap=2)

    made = [settlement.replace_spent_slot(hit_id=slot.hit_id) for slot in round.slots.all()]

    assert made == [True] * 3 + [False] * 7
    assert Slot.objects.filter(round=round, spent=False).count() == 3


def test_lapsed_reservations_end_by_themselves() -> None:
    round = make.make_round()
    accepted(round)
    Assignment.objects.update(deadline=timezone.now() - timedelta(minutes=5))

    assert settlement.end_lapsed() == 1

    assert Assignment.objects.get().state == AssignmentState.ABANDONED
    assert sum(make.tasks_taken(round)) == 0


def test_holds_are_granted_and_lifted_in_the_marketplace(marketplace: Marketplace) -> None:
    round = make.make_round(stories=1, overlap=1)
    busy = accepted(round)
    waiting = make.make_participant(round)
    holds.hold_back(round=round, participant=waiting)

    assert settlement.apply_holds() == 1
    assert settlement.apply_holds() == 0
    occupancy.end_reservation(assignment=busy, state=AssignmentState.RETURNED)
    assert settlement.apply_holds() == 1

    ids = (round.hold_qualification_type_id, waiting.worker.marketplace_id)
    assert marketplace.calls == [("grant_qualification", *ids), ("revoke_qualification", *ids)]
    assert not Hold.objects.get().wanted


def test_a_worker_whom_the_marketplace_refuses_stops_nobody_else(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    round = make.make_round(stories=1, overlap=1)
    accepted(round)
    refused, other = make.make_participant(round), make.make_participant(round)
    for participant in (refused, other):
        holds.hold_back(round=round, participant=participant)

    def grant(qualification: str, worker_id: str) -> None:
        if worker_id == refused.worker.marketplace_id:
            raise mturk.MarketplaceRefused("AWS.MechanicalTurk.WorkerDoesNotExist", "No.")

    monkeypatch.setattr(mturk, "grant_qualification", grant)

    assert settlement.apply_holds() == 1
    assert Hold.objects.get(participant=other).applied
    assert not Hold.objects.get(participant=refused).applied


def test_an_approval_is_sent_once(marketplace: Marketplace) -> None:
    assignment = submitted(make.make_round())
    marketplace.has(assignment)
    settlement.confirm_response(assignment.pk)

    assert payments.decide_payment(assignments=[assignment], kind=PaymentKind.APPROVE) == 1
    assert payments.decide_payment(assignments=[assignment], kind=PaymentKind.APPROVE) == 0
    assert payments.send_payments() == 1
    assert payments.send_payments() == 0

    assert [call[0] for call in marketplace.calls] == ["approve"]
    assert Payment.objects.get().state == PaymentState.CONFIRMED
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.APPROVED


def test_an_approval_that_was_sent_before_a_crash_is_recognised(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = submitted(make.make_round())
    marketplace.has(assignment)
    settlement.confirm_response(assignment.pk)
    payments.decide_payment(assignments=[assignment], kind=PaymentKind.APPROVE)
    marketplace.has(assignment, "Approved")

    def refuse(*arguments: str) -> None:
        raise mturk.MarketplaceRefused("AWS.MechanicalTurk.InvalidAssignmentState", "Not so.")

    monkeypatch.setattr(mturk, "approve", refuse)

    assert payments.send_payments() == 1
    assert Payment.objects.get().state == PaymentState.CONFIRMED


def test_a_refused_payment_says_why(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = submitted(make.make_round())
    marketplace.has(assignment)
    settlement.confirm_response(assignment.pk)
    payments.decide_payment(
        assignments=[assignment], kind=PaymentKind.REJECT, reason="Every box is the same word."
    )

    def refuse(*arguments: str) -> None:
        raise mturk.MarketplaceRefused("AWS.MechanicalTurk.InvalidAssignmentState", "Too late.")

    monkeypatch.setattr(mturk, "reject", refuse)

    assert payments.send_payments() == 0
    payment = Payment.objects.get()
    assert (payment.state, payment.error) == (PaymentState.REFUSED, "Too late.")


def test_a_rejection_needs_a_reason() -> None:
    with pytest.raises(payments.ReasonMissing):
        payments.decide_payment(assignments=[], kind=PaymentKind.REJECT, reason="  ")


def test_an_unconfirmed_response_is_not_paid(marketplace: Marketplace) -> None:
    assignment = submitted(make.make_round())

    assert payments.decide_payment(assignments=[assignment], kind=PaymentKind.APPROVE) == 0


def test_the_figures_of_a_round_are_those_of_its_rows(marketplace: Marketplace) -> None:
    round = make.make_round(stories=2, overlap=2)
    done = submitted(round)
    marketplace.has(done)
    settlement.confirm_response(done.pk)
    submitted(round)
    accepted(round)
    start = timezone.now() - timedelta(minutes=3)
    Assignment.objects.filter(pk=done.pk).update(accepted_at=start)
    Response.objects.filter(assignment=done).update(submitted_at=start + timedelta(minutes=2))

    figures = figures_of(round)

    assert (figures.wanted, figures.collected, figures.waiting, figures.working) == (4, 1, 1, 1)
    assert (figures.tasks_untouched, figures.tasks_partly, figures.tasks_complete) == (0, 1, 1)
    assert figures.median_time == timedelta(minutes=2)
    assert figures.hourly_usd == Decimal("10.50")
    assert figures.committed_usd == Decimal("0.84")
    assert figures.spent_usd == Decimal("0.00")
    assert [count for _, count in figures.per_hour] == [1]
