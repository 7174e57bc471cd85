"""How many statements the lists and the round page send, however many rows there are."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from studies.models import Round
from tests.studies.factories import make_round, make_stories, make_study
from tests.studies_admin.responses import make_response

UNDER = 10
LISTS = ("study", "story", "round", "response", "participant", "payment", "job")


@pytest.fixture
def busy_round(db: None) -> Round:
    study = make_study(slug="busy")
    make_stories(study, 12)
    round = make_round(study, overlap=1)
    for _ in range(12):
        make_response(round)
    make_round(study, overlap=1, lifetime=timedelta(days=1))
    return round


@pytest.mark.parametrize("name", LISTS)
def test_a_list_sends_fewer_than_ten_statements(
    client: Client, busy_round: Round, name: str
) -> None:
    assert _statements(client, reverse(f"admin:studies_{name}_changelist")) < UNDER


def test_the_round_page_and_its_live_part_send_fewer_than_ten(
    client: Client, busy_round: Round
) -> None:
    for name in ("change", "live"):
        assert _statements(client, reverse(f"admin:studies_round_{name}", args=[busy_round.pk])) < (
            UNDER
        )


def _statements(client: Client, address: str) -> int:
    assert client.get(address).status_code == 200
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)
