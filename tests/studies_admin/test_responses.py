from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from studies.models import (
    AssignmentState,
    Payment,
    PaymentKind,
    Response,
    ResponseState,
    Round,
)
from tests.studies.factories import make_participant, withdraw
from tests.studies_admin.conftest import StaffClient
from tests.studies_admin.responses import make_response

LIST = "/admin/studies/response/"
CAUTION = {"field": "assertion", "code": "action", "message": "This looks like an action."}


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be sent to a worker on commit."""
    seen: list[Any] = []
    monkeypatch.setattr("studies.tasks.send_on_commit", lambda task, *a: seen.append(task.name))
    return seen


def page_of(response: Response) -> str:
    return reverse("admin:studies_response_change", args=[response.pk])


def chosen(*responses: Response, **more: str) -> dict[str, Any]:
    return {"_selected_action": [str(response.pk) for response in responses]} | more


def test_the_list_shows_pseudonyms_and_no_marketplace_id(
    client: Client, round: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    participant = make_participant(round, worker_id="AVERYSECRETID")
    first = make_response(round, participant=participant, cautions=[CAUTION])
    for _n in range(3):
        make_response(round)

    with django_assert_max_num_queries(8):
        page = client.get(LIST).content.decode()

    assert participant.pseudonym in page
    assert "AVERYSECRETID" not in page
    assert first.assignment.marketplace_id not in page
    assert "5 min" in page


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"state__exact": "unconfirmed"}, 1),
        ({"warnings": "yes"}, 1),
        ({"warnings": "no"}, 2),
        ({"decision": "open"}, 2),
        ({"decision": "approved"}, 1),
        ({"decision": "rejected"}, 0),
        ({"withdrawn": "yes"}, 1),
        ({"withdrawn": "no"}, 2),
        ({"round": "999999"}, 0),
        ({"round": "nonsense"}, 3),
    ],
)
def test_the_list_filters(client: Client, round: Round, query: dict[str, str], count: int) -> None:
    make_response(round, cautions=[CAUTION])
    withdraw(make_response(round, assignment_state=AssignmentState.APPROVED))
    make_response(
        round, state=ResponseState.UNCONFIRMED, assignment_state=AssignmentState.ABANDONED
    )

    listed = client.get(LIST, query).context["cl"]

    assert listed.result_count == count


def test_a_response_is_read_with_its_story_answers_and_warnings(
    client: Client, round: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    response = make_response(round, cautions=[CAUTION])

    with django_assert_max_num_queries(6):
        page = client.get(page_of(response)).content.decode()

    assert "She counted the cups on the shelf twice." in page
    assert "The visitor is in a hurry." in page
    assert "This looks like an action." in page
    assert response.assignment.marketplace_id not in page
    assert page.index("Assertion") < page.index("Changed assertion") < page.index("Revision")


def test_what_its_worker_took_back_says_so_and_stays_paid(client: Client, round: Round) -> None:
    given = [make_response(round, assignment_state=AssignmentState.APPROVED) for _n in range(2)]
    withdraw(given[0])
    badge = '<span class="st-badge st-quiet">withdrawn</span>'

    pages = [client.get(page_of(response)).content.decode() for response in given]

    assert [badge in page for page in pages] == [True, False]
    assert "took back what they gave" in pages[0]
    assert "approved" in pages[0]
    assert client.get(LIST).content.decode().count(badge) == 1


def test_what_a_worker_wrote_is_shown_as_text(client: Client, round: Round) -> None:
    response = make_response(round, answers={"assertion": "<script>alert(1)</script>"})

    page = client.get(page_of(response)).content.decode()

    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_an_unconfirmed_response_says_what_that_means_and_cannot_be_decided(
    client: Client, round: Round
) -> None:
    response = make_response(
        round, state=ResponseState.UNCONFIRMED, assignment_state=AssignmentState.ABANDONED
    )

    page = client.get(page_of(response)).content.decode()

    assert "The marketplace never received this submission in time." in page
    assert "Decide on the payment" not in page


def test_approving_records_the_wish_and_sends_it(
    client: Client, round: Round, sent: list[str]
) -> None:
    one, two = make_response(round), make_response(round)

    answer = client.post(reverse("admin:studies_approve"), chosen(one, two), follow=True)

    assert "2 responses approved" in answer.content.decode()
    assert list(Payment.objects.values_list("kind", flat=True)) == [PaymentKind.APPROVE] * 2
    assert sent == ["studies.send_payments"]


def test_approving_again_changes_nothing(client: Client, round: Round) -> None:
    response = make_response(round)
    client.post(reverse("admin:studies_approve"), chosen(response))

    again = client.post(reverse("admin:studies_approve"), chosen(response), follow=True)

    assert Payment.objects.count() == 1
    assert "1 response was left as it is" in again.content.decode()


def test_the_lists_action_approves(client: Client, round: Round) -> None:
    response = make_response(round)

    client.post(LIST, chosen(response, action="approve"))

    assert Payment.objects.get().kind == PaymentKind.APPROVE


def test_rejecting_asks_for_the_reason_first(client: Client, round: Round) -> None:
    open_one = make_response(round)
    decided = make_response(round, assignment_state=AssignmentState.APPROVED)

    page = client.post(LIST, chosen(open_one, decided, action="reject")).content.decode()

    assert "Reject 1 response" in page
    assert "1 other stays as it is" in page
    assert "The worker reads this." in page
    assert not Payment.objects.exists()


def test_rejecting_with_a_reason_records_it(client: Client, round: Round) -> None:
    response = make_response(round)

    answer = client.post(
        reverse("admin:studies_reject"),
        chosen(response, reason="The story was not changed.", from_page="1"),
    )

    payment = Payment.objects.get()
    assert (payment.kind, payment.reason) == (PaymentKind.REJECT, "The story was not changed.")
    assert payment.decided_by is not None
    assert answer["Location"] == page_of(response)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 1025])
def test_a_rejection_without_a_fit_reason_is_refused(
    client: Client, round: Round, reason: str
) -> None:
    response = make_response(round)

    answer = client.post(reverse("admin:studies_reject"), chosen(response, reason=reason))

    assert answer.status_code == 422
    assert not Payment.objects.exists()


def test_a_decided_response_keeps_its_decision(client: Client, round: Round) -> None:
    response = make_response(round)
    client.post(reverse("admin:studies_approve"), chosen(response))

    client.post(reverse("admin:studies_reject"), chosen(response, reason="Changed my mind."))

    assert Payment.objects.get().kind == PaymentKind.APPROVE


def test_decisions_are_made_by_post_alone(client: Client, round: Round) -> None:
    make_response(round)

    assert client.get(reverse("admin:studies_approve")).status_code == 405
    assert client.get(reverse("admin:studies_reject")).status_code == 405
    assert not Payment.objects.exists()


def test_staff_who_may_only_read_cannot_decide(staff_client: StaffClient, round: Round) -> None:
    response = make_response(round)
    client = staff_client("studies.view_response")

    assert "Decide on the payment" not in client.get(page_of(response)).content.decode()
    assert client.post(reverse("admin:studies_approve"), chosen(response)).status_code == 403
    assert client.post(reverse("admin:studies_reject"), chosen(response)).status_code == 403
    client.post(LIST, chosen(response, action="approve"))
    assert not Payment.objects.exists()


def test_who_may_not_see_responses_is_refused(staff_client: StaffClient, round: Round) -> None:
    response = make_response(round)

    assert staff_client("studies.view_round").get(page_of(response)).status_code == 403
    assert Client().get(page_of(response))["Location"].startswith("/admin/login/")


@pytest.mark.parametrize("address", ["9999", "nonsense"])
def test_an_unknown_response_is_not_found(client: Client, db: None, address: str) -> None:
    assert client.get(f"{LIST}{address}/change/").status_code == 404


def test_payments_are_listed_read_only(
    client: Client, round: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    responses = [make_response(round) for _n in range(3)]
    client.post(reverse("admin:studies_approve"), chosen(*responses))
    payment = Payment.objects.first()
    assert payment is not None

    with django_assert_max_num_queries(8):
        client.get(reverse("admin:studies_payment_changelist"))
    page = client.get(reverse("admin:studies_payment_change", args=[payment.pk]))

    assert page.status_code == 200
    assert 'name="_save"' not in page.content.decode()


def test_an_imported_response_has_no_worker(
    client: Client, round: Round, make_unknown: Callable[[], Response]
) -> None:
    page = client.get(page_of(make_unknown())).content.decode()

    assert "unknown (imported)" in page
    assert client.get(LIST).status_code == 200


@pytest.fixture
def make_unknown(round: Round) -> Callable[[], Response]:
    def make() -> Response:
        response = make_response(round, assignment_state=AssignmentState.APPROVED)
        response.assignment.participant = None
        response.assignment.save()
        return response

    return make
