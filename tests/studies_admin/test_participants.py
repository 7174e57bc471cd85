import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from studies import mturk, tasks
from studies.models import (
    AssignmentState,
    Participant,
    Payment,
    PaymentKind,
    Round,
    Study,
)
from studies.services import qualification
from tests.studies.factories import make_participant, make_round, withdraw
from tests.studies_admin.conftest import StaffClient
from tests.studies_admin.responses import make_response

LIST = "/admin/studies/participant/"


class Marketplace:
    """Remembers who holds which qualification."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.holders: set[tuple[str, str]] = set()
        self.down = False

    def create(self, *, name: str, description: str) -> str:
        self.answer()
        self.made.append(name)
        return f"Q{len(self.made)}"

    def grant(self, kind: str, worker: str) -> None:
        self.answer()
        self.holders.add((kind, worker))

    def revoke(self, kind: str, worker: str) -> None:
        self.answer()
        self.holders.discard((kind, worker))

    def answer(self) -> None:
        if self.down:
            raise mturk.MarketplaceUnavailable("The marketplace does not answer.")


@pytest.fixture
def marketplace(monkeypatch: pytest.MonkeyPatch) -> Marketplace:
    market = Marketplace()
    monkeypatch.setattr(mturk, "create_qualification_type", market.create)
    monkeypatch.setattr(mturk, "grant_qualification", market.grant)
    monkeypatch.setattr(mturk, "revoke_qualification", market.revoke)
    return market


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    monkeypatch.setattr(tasks, "send_on_commit", lambda task, *a: seen.append(task.name))
    return seen


def act(client: Client, action: str, *participants: Participant) -> Any:
    ids = [str(participant.pk) for participant in participants]
    return client.post(LIST, {"action": action, "_selected_action": ids}, follow=True)


def test_the_list_counts_work_and_shows_pseudonyms_alone(
    client: Client, round: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    worker = make_participant(round, worker_id="AVERYSECRETID")
    make_response(round, participant=worker, assignment_state=AssignmentState.APPROVED, minutes=4)
    make_response(round, participant=worker, assignment_state=AssignmentState.REJECTED, minutes=8)

    with django_assert_max_num_queries(8):
        response = client.get(LIST)

    shown = response.context["cl"].result_list[0]
    assert (shown.response_count, shown.approved_count, shown.rejected_count) == (2, 1, 1)
    assert "6 min" in response.content.decode()
    assert "AVERYSECRETID" not in response.content.decode()


def test_only_a_superuser_sees_the_marketplace_id_on_the_workers_own_page(
    client: Client, staff_client: StaffClient, round: Round
) -> None:
    worker = make_participant(round, worker_id="AVERYSECRETID")
    where = reverse("admin:studies_participant_change", args=[worker.pk])

    seen = client.get(where).content.decode()
    hidden = staff_client("studies.view_participant").get(where).content.decode()

    assert "AVERYSECRETID" in seen
    assert "AVERYSECRETID" not in hidden
    assert worker.pseudonym in hidden


def test_granting_is_a_wish_that_the_marketplace_is_told(
    client: Client, round: Round, marketplace: Marketplace, sent: list[str]
) -> None:
    worker = make_participant(round, worker_id="A1")

    page = act(client, "grant", worker).content.decode()
    worker.refresh_from_db()
    waiting = worker.qualification_applied
    qualification.apply_qualifications()

    worker.refresh_from_db()
    assert "1 worker is proficient now" in page
    assert sent == ["studies.apply_qualifications"]
    assert not waiting
    assert worker.qualified_at is not None
    assert worker.qualification_applied
    assert marketplace.holders == {("Q1", "A1")}


def test_granting_again_keeps_the_date(
    client: Client, round: Round, marketplace: Marketplace
) -> None:
    worker = make_participant(round)
    act(client, "grant", worker)
    worker.refresh_from_db()
    first = worker.qualified_at

    page = act(client, "grant", worker).content.decode()

    worker.refresh_from_db()
    assert worker.qualified_at == first
    assert "Nothing to change for these workers." in page


def test_taking_it_away_is_told_too(client: Client, round: Round, marketplace: Marketplace) -> None:
    worker = make_participant(round, worker_id="A1")
    act(client, "grant", worker)
    qualification.apply_qualifications()

    act(client, "take_away", worker)
    qualification.apply_qualifications()

    worker.refresh_from_db()
    assert worker.qualified_at is None
    assert worker.qualification_applied
    assert marketplace.holders == set()


def test_one_qualification_type_serves_the_whole_study(
    client: Client, study: Study, round: Round, marketplace: Marketplace
) -> None:
    act(client, "grant", make_participant(round), make_participant(round))

    qualification.apply_qualifications()

    study.refresh_from_db()
    assert len(marketplace.made) == 1
    assert study.qualification_type_id == "Q1"


def test_a_marketplace_that_is_away_is_told_later(
    client: Client, round: Round, marketplace: Marketplace
) -> None:
    worker = make_participant(round, worker_id="A1")
    act(client, "grant", worker)
    marketplace.down = True

    tasks.apply_qualifications()
    marketplace.down = False
    tasks.apply_qualifications()

    worker.refresh_from_db()
    assert worker.qualification_applied
    assert marketplace.holders == {("Q1", "A1")}


def test_a_wish_that_changed_meanwhile_stays_to_be_applied(
    round: Round, marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = make_participant(round, worker_id="A1")
    qualification.grant_qualification(participants=[worker])

    def grant_late(kind: str, worker_id: str) -> None:
        qualification.withdraw_qualification(participants=[worker])

    monkeypatch.setattr(mturk, "grant_qualification", grant_late)
    qualification.apply_qualifications()

    worker.refresh_from_db()
    assert worker.qualified_at is None
    assert not worker.qualification_applied


def test_a_worker_whom_the_marketplace_refuses_does_not_stop_the_others(
    round: Round, marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = make_participant(round, "ABAD"), make_participant(round, "AGOOD")
    qualification.grant_qualification(participants=[bad, good])

    def grant(kind: str, worker_id: str) -> None:
        if worker_id == "ABAD":
            raise mturk.MarketplaceRefused("AWS.MechanicalTurk.WorkerDoesNotExist", "Unknown.")

    monkeypatch.setattr(mturk, "grant_qualification", grant)
    qualification.apply_qualifications()

    bad.refresh_from_db()
    good.refresh_from_db()
    assert (bad.qualification_applied, good.qualification_applied) == (False, True)


def test_staff_need_the_permission_to_qualify(
    staff_client: StaffClient, round: Round, sent: list[str]
) -> None:
    worker = make_participant(round)

    act(staff_client("studies.view_participant"), "grant", worker)

    worker.refresh_from_db()
    assert worker.qualified_at is None
    assert not sent


def run(*arguments: str) -> Any:
    out = io.StringIO()
    call_command("qualify_workers", *arguments, "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def test_the_command_suggests_workers_with_enough_approved_and_none_rejected(
    study: Study,
) -> None:
    round = make_round(study, overlap=5)
    able, new, careless, doubted, gone = (make_participant(round) for _n in range(5))
    for worker in (able, careless, doubted):
        for _n in range(2):
            make_response(round, participant=worker, assignment_state=AssignmentState.APPROVED)
    for _n in range(2):
        approved = AssignmentState.APPROVED
        withdraw(make_response(round, participant=gone, assignment_state=approved))
    make_response(round, participant=new, assignment_state=AssignmentState.APPROVED)
    make_response(round, participant=careless, assignment_state=AssignmentState.REJECTED)
    pending = make_response(round, participant=doubted)
    Payment.objects.create(
        assignment=pending.assignment, kind=PaymentKind.REJECT, reason="No state named."
    )

    report = run(study.slug, "--min-approved", "2")

    assert report["suggested"] == [{"pseudonym": able.pseudonym, "approved": 2}]
    assert report["granted"] == 0
    assert not Participant.objects.filter(qualified_at__isnull=False).exists()


def test_the_command_grants_on_request_and_repeats_without_harm(
    study: Study, round: Round, marketplace: Marketplace
) -> None:
    worker = make_participant(round, worker_id="A1")
    make_response(round, participant=worker, assignment_state=AssignmentState.APPROVED)

    first = run(study.slug, "--min-approved", "1", "--apply")
    again = run(study.slug, "--min-approved", "1", "--apply")

    assert (first["granted"], again["granted"]) == (1, 0)
    assert marketplace.holders == {("Q1", "A1")}


def test_the_command_prints_pseudonyms_only(
    study: Study, round: Round, marketplace: Marketplace
) -> None:
    worker = make_participant(round, worker_id="AVERYSECRETID")
    make_response(round, participant=worker, assignment_state=AssignmentState.APPROVED)
    out = io.StringIO()

    call_command("qualify_workers", study.slug, "--min-approved", "1", "--apply", stdout=out)

    assert worker.pseudonym in out.getvalue()
    assert "AVERYSECRETID" not in out.getvalue()


def test_the_command_keeps_the_wish_when_the_marketplace_is_away(
    study: Study, round: Round, marketplace: Marketplace
) -> None:
    worker = make_participant(round)
    make_response(round, participant=worker, assignment_state=AssignmentState.APPROVED)
    marketplace.down = True
    err = io.StringIO()

    call_command(
        "qualify_workers",
        study.slug,
        "--min-approved",
        "1",
        "--apply",
        stdout=io.StringIO(),
        stderr=err,
    )

    worker.refresh_from_db()
    assert worker.qualified_at is not None
    assert "will be sent later" in err.getvalue()


@pytest.mark.parametrize("arguments", [["nowhere"], ["moods", "--min-approved", "0"]])
def test_the_command_refuses_what_it_cannot_do(study: Study, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("qualify_workers", *arguments)


def test_a_proficient_worker_is_not_suggested_again(study: Study, round: Round) -> None:
    worker = make_participant(round)
    make_response(round, participant=worker, assignment_state=AssignmentState.APPROVED)
    Participant.objects.filter(pk=worker.pk).update(qualified_at=timezone.now())

    assert run(study.slug, "--min-approved", "1")["suggested"] == []
