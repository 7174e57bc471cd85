import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from studies.models import Job, Round, RoundState, Study
from tests.studies.factories import make_stories
from tests.studies_admin.conftest import StaffClient


def address(round: Round, change: str) -> str:
    return reverse(f"admin:studies_round_{change}", args=[round.pk])


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        (RoundState.OPEN, "pause", RoundState.PAUSED),
        (RoundState.PUBLISHING, "pause", RoundState.PAUSED),
        (RoundState.PAUSED, "resume", RoundState.OPEN),
        (RoundState.OPEN, "close", RoundState.CLOSED),
        (RoundState.PAUSED, "close", RoundState.CLOSED),
    ],
)
def test_a_button_changes_the_round_and_wakes_a_job(
    client: Client, round: Round, woken: list[Job], before: str, change: str, after: str
) -> None:
    Round.objects.filter(pk=round.pk).update(state=before)

    response = client.post(address(round, change))

    round.refresh_from_db()
    assert response.status_code == 303
    assert round.state == after
    assert [job.payload for job in woken] == [{"round": round.pk}]


def test_pausing_twice_says_how_the_round_stands(
    client: Client, round: Round, woken: list[Job]
) -> None:
    client.post(address(round, "pause"))

    again = client.post(address(round, "pause"), follow=True)

    assert "This round is paused, so that is not possible." in again.content.decode()
    assert len(woken) == 1


def test_a_closed_round_stays_closed(client: Client, round: Round, woken: list[Job]) -> None:
    Round.objects.filter(pk=round.pk).update(state=RoundState.CLOSED)

    for change in ("pause", "resume", "close"):
        client.post(address(round, change))

    round.refresh_from_db()
    assert round.state == RoundState.CLOSED
    assert not woken


def test_nothing_changes_on_get(client: Client, round: Round, woken: list[Job]) -> None:
    assert client.get(address(round, "pause")).status_code == 405
    assert client.get(address(round, "resume")).status_code == 405
    assert client.get(address(round, "close")).status_code == 200
    assert client.get(address(round, "extend")).status_code == 200

    round.refresh_from_db()
    assert round.state == RoundState.OPEN
    assert not woken


def test_closing_asks_first_and_says_what_is_lost(client: Client, round: Round) -> None:
    page = client.get(address(round, "close")).content.decode()

    assert "8 places that nobody has taken" in page
    assert "Keep it open" in page


def test_an_expired_round_is_offered_again_for_its_lifetime(
    client: Client, round: Round, woken: list[Job]
) -> None:
    Round.objects.filter(pk=round.pk).update(expires_at=timezone.now() - timedelta(hours=1))

    client.post(address(round, "resume"))

    round.refresh_from_db()
    assert round.expires_at is not None
    assert round.expires_at > timezone.now() + timedelta(days=6)
    assert not round.slots.filter(shown=True).exists()


def test_an_open_round_cannot_be_resumed(client: Client, round: Round, woken: list[Job]) -> None:
    page = client.post(address(round, "resume"), follow=True).content.decode()

    assert "This round is open, so that is not possible." in page
    assert not woken


def test_extending_shows_the_cost_first(client: Client, study: Study, round: Round) -> None:
    make_stories(study, 3)

    response = client.get(
        address(round, "extend"),
        {"overlap": "1", "stories": "2", "seen_wanted": "8", "step": "estimate"},
    )

    # One more worker for 4 tasks, three workers for 2 new ones.
    assert response.context["added"].slots == 10
    assert response.context["added"].total_usd == Decimal("4.20")
    assert "3 stories of the study are not in this round." in response.content.decode()
    assert round.slots.count() == 8


def test_extending_adds_workers_and_stories(
    client: Client, study: Study, round: Round, woken: list[Job]
) -> None:
    make_stories(study, 3)

    response = client.post(
        address(round, "extend"), {"overlap": "1", "stories": "2", "seen_wanted": "8"}
    )

    round.refresh_from_db()
    assert response.status_code == 303
    assert round.overlap == 3
    assert round.tasks.count() == 6
    assert round.slots.count() == 18
    assert len(woken) == 1


def test_extending_twice_with_one_form_extends_once(
    client: Client, round: Round, woken: list[Job]
) -> None:
    given = {"overlap": "1", "stories": "0", "seen_wanted": "8"}
    client.post(address(round, "extend"), given)

    again = client.post(address(round, "extend"), given, follow=True)

    round.refresh_from_db()
    assert round.overlap == 3
    assert len(woken) == 1
    assert "has been extended since you opened that page" in again.content.decode()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"overlap": "0", "stories": "0"}, "Say how many workers"),
        ({"overlap": "", "stories": ""}, "Say how many workers"),
        ({"overlap": "-1"}, "Write at least 0."),
        ({"overlap": "99"}, "A task is done by at most 100 workers."),
        ({"stories": "5"}, "Only 0 stories of this study are not in the round yet."),
        ({"stories": str(10**20)}, "Write at most 1000000."),
    ],
)
def test_an_extension_that_is_not_possible_says_why(
    client: Client, round: Round, woken: list[Job], given: dict[str, Any], sentence: str
) -> None:
    response = client.post(address(round, "extend"), {"seen_wanted": "8"} | given)

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert not woken


def test_who_may_only_look_is_refused(
    staff_client: StaffClient, round: Round, woken: list[Job]
) -> None:
    client = staff_client("studies.view_round")

    for change in ("pause", "resume", "close", "extend"):
        assert client.post(address(round, change)).status_code == 403
        assert Client().post(address(round, change))["Location"].startswith("/admin/login/")
    round.refresh_from_db()
    assert round.state == RoundState.OPEN


def test_the_change_is_in_the_history(client: Client, round: Round, woken: list[Job]) -> None:
    client.post(address(round, "pause"))

    page = client.get(reverse("admin:studies_round_history", args=[round.pk])).content.decode()

    assert "The round is paused." in page


FORM = re.compile(r'<form method="post"[^>]*action="([^"]+)"[^>]*>(.*?)</form>', re.DOTALL)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@pytest.mark.parametrize("page", ["change", "live"])
def test_the_buttons_carry_the_token_that_the_site_asks_for(
    admin_user: User, round: Round, woken: list[Job], page: str
) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(admin_user)
    forms = dict(FORM.findall(strict.get(address(round, page)).content.decode()))
    pause = forms[address(round, "pause")]
    token = TOKEN.search(pause)
    assert token is not None

    refused = strict.post(address(round, "pause"))
    done = strict.post(address(round, "pause"), {"csrfmiddlewaretoken": token.group(1)})

    assert refused.status_code == 403
    assert done.status_code == 303
