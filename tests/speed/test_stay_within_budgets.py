"""How many statements each step of the main path sends; one more is a decision, not an accident."""

from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import ReleaseRow
from marketplace.models import AccessKey
from studies.models import Study
from tests.evaluation.test_lineage import rated_run, row, study
from tests.marketplace.conftest import answer_in_process, boto_client
from tests.marketplace.factories import QUESTION, make_hit_type, make_key
from tests.speed.published import publish
from tests.studies.members import make_member

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

__all__ = ["row", "study"]
pytestmark = pytest.mark.django_db
# Where each transaction counts two: its begin and its end.
BUDGETS = {
    "accept": 10,
    "assignment": 3,
    "open": 8,
    "submit": 5,
    "send": 3,
    "external submit": 5,
}
# Four to know who looks and what they may see; then the rating, its page, and its output.
LINEAGE = 6


def test_a_task_from_accept_to_thank_you_stays_within_its_budgets() -> None:
    _round, journey = publish(tasks=50)

    assert journey.do_one() == BUDGETS


def test_publishing_a_hit_stays_within_its_budget() -> None:
    key = make_key()
    hit_type = make_hit_type(key.requester)
    mturk = _client(key)

    def publish_one(token: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            mturk.create_hit_with_hit_type(
                HITTypeId=hit_type.hit_type_id,
                LifetimeInSeconds=86400,
                Question=QUESTION,
                UniqueRequestToken=token,
            )
        return len(captured)

    publish_one("first")
    assert publish_one("second") == 9


def test_the_page_of_a_lineage_stays_within_its_budget(study: Study, row: ReleaseRow) -> None:
    _run, rating = rated_run(study, row)
    client = Client()
    client.force_login(make_member(study))
    address = reverse("admin:evaluation_rating_change", args=[rating.pk])
    client.get(address)

    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200

    assert len(captured) == LINEAGE


def _client(key: AccessKey) -> "MTurkClient":
    client = boto_client("http://localhost:8000/mturk/", key.access_key_id, key.secret_access_key)
    events: Any = client.meta.events
    events.register("before-send", answer_in_process)
    return client
