"""Addresses and forms that somebody typed or a script made up: never a server error."""

import pytest
from django.contrib.admin import helpers
from django.test import Client
from django.urls import reverse

pytestmark = pytest.mark.django_db
HUGE = "9" * 30


@pytest.mark.parametrize("model", ["study", "story", "round", "participant", "response", "job"])
@pytest.mark.parametrize("key", ["abc", "-1", HUGE, "٣", "1%00"])
def test_a_page_of_something_that_is_not_there_is_no_crash(
    admin_client: Client, model: str, key: str
) -> None:
    answer = admin_client.get(f"/admin/studies/{model}/{key}/change/")

    assert answer.status_code in {302, 404}


@pytest.mark.parametrize("path", ["round/{}/live/", "job/{}/live/", "study/{}/launch/"])
def test_a_number_that_no_row_can_have_is_not_found(admin_client: Client, path: str) -> None:
    assert admin_client.get(f"/admin/studies/{path.format(HUGE)}").status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        f"round={HUGE}",
        f"study={HUGE}",
        "study=abc",
        "round=abc",
        "warnings=x",
        "decision=x",
        "p=999",
        f"p={HUGE}",
    ],
)
def test_a_made_up_filter_of_the_responses_is_no_crash(admin_client: Client, query: str) -> None:
    address = reverse("admin:studies_response_changelist")

    assert admin_client.get(f"{address}?{query}").status_code in {200, 302}


@pytest.mark.parametrize("name", ["studies_approve", "studies_reject"])
@pytest.mark.parametrize("chosen", [HUGE, "abc", "٣", "-1"])
def test_a_decision_about_made_up_responses_changes_nothing(
    admin_client: Client, name: str, chosen: str
) -> None:
    given = {helpers.ACTION_CHECKBOX_NAME: [chosen], "reason": "Because."}

    assert admin_client.post(reverse(f"admin:{name}"), given).status_code == 303
