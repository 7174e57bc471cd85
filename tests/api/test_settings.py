"""A study's settings and its review plan: read and changed by the admin's rules."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import ReviewPlan
from config.models import AuditEntry, Origin
from tests.api.conftest import API, Site
from tests.studies.factories import make_round, make_study

STUDY = f"{API}/studies/evenings/"
PLAN = f"{STUDY}review-plan/parameters/"


@pytest.fixture
def lea(site: Site) -> Client:
    return site.client("researcher")


def patch(client: Client, address: str, changes: Any) -> Any:
    return client.patch(address, changes, content_type="application/json")


def test_a_study_is_changed_where_it_is_told_to_and_the_log_names_the_fields(
    lea: Client, site: Site
) -> None:
    before = lea.get(STUDY).json()
    changes = {"budget_usd": "80.50", "records_process": False, "consent_text": "Of free will."}
    answer = patch(lea, STUDY, changes)

    assert (answer.status_code, answer.json()) == (200, before | changes)
    assert lea.get(STUDY).json() == before | changes
    entry = AuditEntry.objects.get(origin=Origin.API)
    assert (entry.actor, entry.action, entry.target) == ("lea", "api-study", "evenings")
    assert entry.detail == ["Changed: budget_usd, consent_text, records_process"]
    assert patch(lea, STUDY, {"budget_usd": None}).json()["budget_usd"] is None
    assert patch(lea, STUDY, {"study": "nights"}).json()["study"] == "nights"
    assert lea.get(STUDY).status_code == 404


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("budget_usd", "-1"),
        ("worker_cap", 0),
        ("study", "mornings"),
        ("study", "no slug"),
        ("records_process", "perhaps"),
    ],
)
def test_what_the_admin_would_refuse_changes_nothing(
    lea: Client, site: Site, field: str, value: Any
) -> None:
    make_study(slug="mornings")
    before = lea.get(STUDY).json()
    answer = patch(lea, STUDY, {"contact": "lab@example.org", field: value})

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [field]
    assert lea.get(STUDY).json() == before
    assert not AuditEntry.objects.filter(origin=Origin.API).exists()


def test_a_review_plan_is_made_with_what_it_shall_say(lea: Client, site: Site) -> None:
    other = make_round(site.study)
    assert lea.get(PLAN).status_code == 404
    made = patch(lea, PLAN, {"double_share": "0.25", "min_responses": 20})

    plan = ReviewPlan.objects.get(study=site.study)
    assert made.status_code == 200, made.content
    told = made.json()
    assert (told["double_share"], told["min_responses"], told["sample_most"]) == ("0.250", 20, 40)
    assert (told["seed"], told["rounds"]) == (plan.seed, [site.round.number, other.number])
    assert patch(lea, PLAN, {"rounds": [other.number]}).json()["rounds"] == [other.number]
    again = patch(lea, PLAN, {"seed": 1, "sample_share": "0.5"}).json()
    assert again == lea.get(PLAN).json()
    assert again == told | {"rounds": [other.number], "sample_share": "0.500"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"double_share": "1.5"}, "double_share"),
        ({"sample_most": 0}, "sample_most"),
        ({"min_responses": -1}, "min_responses"),
        ({"rounds": [77]}, "rounds"),
        ({"rounds": [2]}, "rounds"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_and_none_is_made(
    lea: Client, site: Site, changes: dict[str, Any], field: str
) -> None:
    assert make_round(site.study, pilot=True).number == 2
    answer = patch(lea, PLAN, changes)

    assert answer.status_code == 400, answer.content
    assert list(answer.json()["errors"]) == [field]
    assert not ReviewPlan.objects.exists()


@pytest.mark.parametrize(("role", "status"), [("stranger", 404), ("reviewer", 403)])
@pytest.mark.parametrize("address", [STUDY, PLAN])
def test_others_change_nothing(site: Site, address: str, role: str, status: int) -> None:
    answer = patch(site.client(role), address, {"title": "Mine", "min_responses": 1})

    assert answer.status_code == status
    site.study.refresh_from_db()
    assert site.study.title == "Quiet evenings"
    assert not ReviewPlan.objects.exists()
