"""What a worker says to a rejection, as the researcher sees it, and the rejection taken back."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from studies import mturk
from studies.models import Assignment, Payment, PaymentKind, Response
from tests.studies.factories import make_round
from tests.studies.test_answers_to_rejections import Marketplace, event, rejected
from tests.studies.test_settlement import notify
from tests.studies_admin.conftest import StaffClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def marketplace(monkeypatch: pytest.MonkeyPatch) -> Marketplace:
    double = Marketplace()
    monkeypatch.setattr(mturk, "approve_after_all", double.call("approve_after_all"))
    return double


def page_of(response: Response) -> str:
    return reverse("admin:studies_response_change", args=[response.pk])


def button_of(response: Response) -> str:
    return reverse("admin:studies_approve_after_all", args=[response.pk])


def test_the_researcher_reads_the_answer_and_approves_after_all(
    client: Client,
    marketplace: Marketplace,
    django_capture_on_commit_callbacks: Any,
) -> None:
    assignment = rejected()
    marketplace.has(assignment)
    response = assignment.response
    assert "The worker has not answered." in client.get(page_of(response)).text
    notify(event(assignment))

    page = client.get(page_of(response)).text
    assert "It is not:<br>see &lt;b&gt;sentence 4&lt;/b&gt;." in page
    assert button_of(response) in page
    with django_capture_on_commit_callbacks(execute=True):
        done = client.post(button_of(response), follow=True)
    again = client.post(button_of(response), follow=True)

    assert "Approved after all; the payment is being sent." in done.text
    assert "left as it is" in again.text
    assert marketplace.calls == [("approve_after_all", assignment.marketplace_id)]
    page = client.get(page_of(response)).text
    assert "approved after all" in page
    assert "It is not:<br>" in page
    assert button_of(response) not in page


def test_the_list_of_payments_finds_the_answered_ones(
    client: Client,
) -> None:
    round = make_round(stories=4)
    answered, silent = rejected(round), rejected(round)
    notify(event(answered))
    where = reverse("admin:studies_payment_changelist")

    def listed(query: str) -> list[Assignment]:
        found = client.get(f"{where}?{query}").context["cl"].result_list
        return [payment.assignment for payment in found]

    assert listed("answered=yes") == [answered]
    assert listed("answered=no") == [silent]
    one = reverse(
        "admin:studies_payment_change", args=[Payment.objects.get(assignment=answered).pk]
    )
    page = client.get(one).text
    assert "see &lt;b&gt;sentence 4&lt;/b&gt;." in page
    assert page_of(answered.response) in page


def test_only_who_decides_on_payments_of_the_study_takes_a_rejection_back(
    staff_client: StaffClient,
) -> None:
    response = rejected().response
    reader = staff_client("studies.view_response")
    decider = staff_client("studies.view_response", "studies.add_payment")
    assert button_of(response) in decider.get(page_of(response)).text
    assert button_of(response) not in reader.get(page_of(response)).text
    assert reader.post(button_of(response)).status_code == 403
    stranger = staff_client("studies.view_response", "studies.add_payment")
    response.assignment.task.round.study.memberships.all().delete()

    assert stranger.post(button_of(response)).status_code == 404
    assert stranger.get(button_of(response)).status_code == 405
    assert not Payment.objects.exclude(kind=PaymentKind.REJECT).exists()
