import hashlib
import hmac
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from marketplace.frames import frame_of, is_signed, preview_of, signature_of
from marketplace.models import Assignment
from tests.marketplace.factories import make_accepted, make_hit, make_hit_type

pytestmark = pytest.mark.django_db
ORIGIN = "http://localhost:8000"


@pytest.fixture
def accepted() -> Assignment:
    hit_type = make_hit_type()
    make_hit(hit_type)
    return make_accepted(hit_type)


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def test_the_frame_tells_the_task_page_who_is_there_and_signs_it(accepted: Assignment) -> None:
    frame = frame_of(accepted)

    query = query_of(frame.url)
    signature = query.pop("fabulaSignature")
    assert frame.frame_height == 600
    assert query == {
        "round": "7",
        "x": "1",
        "assignmentId": accepted.assignment_id,
        "hitId": accepted.hit.hit_id,
        "workerId": accepted.worker.worker_id,
        "turkSubmitTo": ORIGIN,
    }
    deadline, _, mac = signature.partition(".")
    signed = urlencode(
        [
            ("assignmentId", accepted.assignment_id),
            ("deadline", deadline),
            ("hitId", accepted.hit.hit_id),
            ("turkSubmitTo", ORIGIN),
            ("workerId", accepted.worker.worker_id),
        ]
    )
    assert int(deadline) == int(accepted.deadline.timestamp())
    assert mac == hmac.new(b"a secret", signed.encode(), hashlib.sha256).hexdigest()


def test_the_preview_knows_no_worker_and_is_not_signed(accepted: Assignment) -> None:
    query = query_of(preview_of(accepted.hit).url)

    assert query["assignmentId"] == "ASSIGNMENT_ID_NOT_AVAILABLE"
    assert query["hitId"] == accepted.hit.hit_id
    assert not {"workerId", "fabulaSignature"} & set(query)


def test_a_signature_holds_for_its_assignment_only(accepted: Assignment) -> None:
    signature = signature_of(accepted)

    assert is_signed(accepted, signature)
    changes: list[Any] = [
        ("deadline", accepted.deadline + timedelta(seconds=1)),
        ("assignment_id", "3OTHER"),
    ]
    for name, value in changes:
        kept = getattr(accepted, name)
        setattr(accepted, name, value)
        assert not is_signed(accepted, signature)
        setattr(accepted, name, kept)
    assert not is_signed(accepted, "\u00fc")
    assert is_signed(accepted, signature)
