"""NotifyWorkers, through boto3, and what a worker is told of a qualification."""

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from marketplace.models import AccessKey, Message, Worker
from marketplace.services.messages import mark_read
from tests.marketplace.factories import (
    make_hit,
    make_hit_type,
    make_requester,
    make_submitted,
    make_worker,
)
from tests.marketplace.refusals import message
from tests.marketplace.test_require_qualifications import NEW_TYPE

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

LETTER = {"Subject": "More stories", "MessageText": "A second round is open.\nCome back."}


def make_known(mturk: "MTurkClient", key: AccessKey) -> Worker:
    """Whose work was approved."""
    hit_type = make_hit_type(key.requester)
    make_hit(hit_type)
    done = make_submitted(hit_type)
    mturk.approve_assignment(AssignmentId=done.assignment_id)
    return done.worker


def unread_of(worker: Worker) -> int:
    worker.refresh_from_db()
    return worker.unread_messages


def test_workers_are_written_to_once_each(mturk: "MTurkClient", key: AccessKey) -> None:
    workers = [make_known(mturk, key) for _ in range(3)]
    ids = [worker.worker_id for worker in workers]

    answer = mturk.notify_workers(**LETTER, WorkerIds=[*ids, ids[0]])

    assert answer["NotifyWorkersFailureStatuses"] == []
    sent = [(one.worker, one.subject, one.text) for one in Message.objects.order_by("pk")]
    assert sent == [(one, LETTER["Subject"], LETTER["MessageText"]) for one in workers]
    assert [unread_of(worker) for worker in workers] == [1, 1, 1]


def test_who_cannot_be_written_to_is_named(mturk: "MTurkClient", key: AccessKey) -> None:
    """Whose work was never decided, or was for somebody else; the others get the message."""
    known, stranger = make_known(mturk, key), make_worker()
    hit_type = make_hit_type(key.requester)
    make_hit(hit_type)
    waiting = make_submitted(hit_type).worker
    asked = [stranger.worker_id, "A0NOBODY", known.worker_id, waiting.worker_id]

    failures = mturk.notify_workers(**LETTER, WorkerIds=asked)["NotifyWorkersFailureStatuses"]

    assert [one["WorkerId"] for one in failures] == [*asked[:2], asked[3]]
    assert {one["NotifyWorkersFailureCode"] for one in failures} == {"HardFailure"}
    words = [one["NotifyWorkersFailureMessage"] for one in failures]
    assert "not approved or rejected" in words[0] and "does not exist" in words[1]
    assert [one.worker for one in Message.objects.all()] == [known]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"Subject": ""}, "Subject"),
        ({"Subject": " "}, "Subject"),
        ({"MessageText": "\n"}, "MessageText"),
        ({"Subject": "x" * 201}, "Subject"),
        ({"MessageText": "x" * 4097}, "MessageText"),
        ({"WorkerIds": []}, "WorkerIds"),
        ({"WorkerIds": ["A1"] * 101}, "WorkerIds"),
    ],
)
def test_a_message_has_the_bounds_of_mturk(
    mturk: "MTurkClient", change: dict[str, Any], named: str
) -> None:
    with pytest.raises(ClientError) as refused:
        mturk.notify_workers(**LETTER | {"WorkerIds": ["A1"]} | change)

    assert named in message(refused.value)
    assert not Message.objects.exists()


@pytest.mark.parametrize("told", [True, False])
def test_a_worker_is_told_of_a_qualification_unless_asked_not_to(
    mturk: "MTurkClient", told: bool
) -> None:
    named = NEW_TYPE | {"Name": "Careful reader " + "of long stories " * 11}
    made = mturk.create_qualification_type(**named)["QualificationType"]
    worker = make_worker()

    mturk.associate_qualification_with_worker(
        QualificationTypeId=made["QualificationTypeId"],
        WorkerId=worker.worker_id,
        SendNotification=told,
    )

    assert unread_of(worker) == int(told)
    for one in Message.objects.all():
        assert one.subject.startswith("You now have the qualification “Careful reader")
        assert one.text == NEW_TYPE["Description"]


def test_what_is_read_in_two_tabs_is_counted_once(mturk: "MTurkClient", key: AccessKey) -> None:
    worker = make_known(mturk, key)
    for _ in range(3):
        mturk.notify_workers(**LETTER, WorkerIds=[worker.worker_id])
    shown = list(worker.messages.all()[:2])

    for _tab in range(2):
        mark_read(worker=worker, messages=shown, at=timezone.now())

    assert unread_of(worker) == 1
    assert worker.messages.filter(read_at=None).count() == 1


def test_a_worker_without_messages_has_none_of_others(mturk: "MTurkClient", key: AccessKey) -> None:
    known, other = make_known(mturk, key), make_worker()
    mturk.notify_workers(**LETTER, WorkerIds=[known.worker_id])

    mark_read(worker=other, messages=list(known.messages.all()), at=timezone.now())

    assert (unread_of(known), unread_of(other)) == (1, 0)
    assert make_requester().messages.count() == 0
