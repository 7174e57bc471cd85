from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from studies.models import AssignmentState, Round, RoundState
from tests.studies.factories import make_participant, make_round
from tests.studies_admin.conftest import StaffClient
from tests.studies_admin.responses import make_response, make_responses


def address(round: Round) -> str:
    return reverse("admin:studies_round_limit", args=[round.pk])


def asked(round: Round, **given: Any) -> dict[str, Any]:
    apart = round.apart_from.order_by("pk").values_list("pk", flat=True)
    return {"seen": "-".join(map(str, [round.worker_cap or 0, *apart]))} | given


def limits_of(round: Round) -> tuple[int | None, list[int]]:
    round.refresh_from_db()
    return round.worker_cap, [other.number for other in round.apart_from.all()]


def test_limits_are_reviewed_then_changed_and_noted(client: Client, round: Round) -> None:
    other = make_round(round.study)
    make_responses(round, participant=make_participant(round), count=2)
    make_response(round)
    make_response(other)
    make_response(other, assignment_state=AssignmentState.ABANDONED)
    given = asked(round, worker_cap="2", apart_from=[str(other.pk)])

    page = client.get(address(round), given | {"step": "review"}).content.decode()

    assert "1 worker has that many tasks or more already" in page
    assert "1 worker of the rounds kept apart gets no task of this one" in page
    assert limits_of(round) == (None, [])
    done = client.post(address(round), given, follow=True)
    assert "The limits are changed." in done.content.decode()
    assert limits_of(round) == (2, [other.number])
    assert "at most 2 tasks of one worker; kept apart from round" in str(LogEntry.objects.get())
    again = client.get(address(round), asked(round, worker_cap="", step="review"))
    assert "no limit" in again.content.decode()
    client.post(address(round), asked(round, worker_cap=""))
    assert limits_of(round) == (None, [])


def test_nothing_to_change_is_said_and_offers_no_button(client: Client, round: Round) -> None:
    page = client.get(address(round), asked(round, worker_cap="", step="review"))

    assert "nothing would change" in page.content.decode()
    assert "limits-review" not in page.content.decode()


def test_what_somebody_else_changed_meanwhile_stays(client: Client, round: Round) -> None:
    given = asked(round, worker_cap="2")
    Round.objects.filter(pk=round.pk).update(worker_cap=7)

    answer = client.post(address(round), given, follow=True)

    assert answer.redirect_chain == [(address(round), 303)]
    assert "changed since you looked" in answer.content.decode()
    assert limits_of(round) == (7, [])


@pytest.mark.parametrize("given", [{"worker_cap": "0"}, {"worker_cap": "x"}, {"apart_from": "0"}])
def test_what_cannot_be_a_limit_is_told(client: Client, round: Round, given: Any) -> None:
    answer = client.post(address(round), asked(round, **given))

    assert answer.status_code == 422
    assert limits_of(round) == (None, [])


def test_a_round_is_kept_apart_from_no_round_of_another_study(client: Client, round: Round) -> None:
    foreign = make_round()

    answer = client.post(address(round), asked(round, apart_from=[str(foreign.pk)]))

    assert answer.status_code == 422
    assert limits_of(round) == (None, [])


def test_a_closed_round_has_no_limits_to_change(client: Client, round: Round) -> None:
    Round.objects.filter(pk=round.pk).update(state=RoundState.CLOSED)

    answer = client.post(address(round), asked(round, worker_cap="2"))

    assert answer.status_code == 422
    assert "This round is closed" in answer.content.decode()


def test_who_may_only_see_rounds_is_refused(staff_client: StaffClient, round: Round) -> None:
    browser = staff_client("studies.view_round")

    assert browser.get(address(round)).status_code == 403
    assert browser.post(address(round), asked(round, worker_cap="2")).status_code == 403
