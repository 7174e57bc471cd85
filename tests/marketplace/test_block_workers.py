"""CreateWorkerBlock, DeleteWorkerBlock and ListWorkerBlocks, through boto3."""

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from marketplace.errors import NotQualified
from marketplace.models import AccessKey, HITType, Worker, WorkerBlock
from marketplace.services.assignments import accept_hit, submit_assignment
from marketplace.services.groups import hit_group, hit_groups_open_to
from tests.marketplace.conftest import ClientFor
from tests.marketplace.factories import (
    make_accepted,
    make_hit,
    make_hit_type,
    make_key,
    make_worker,
)

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

CLOSED = "The requester has closed their tasks to you."


@pytest.fixture
def worker(db: None) -> Worker:
    return make_worker()


@pytest.fixture
def hit_type(key: AccessKey) -> HITType:
    hit_type = make_hit_type(key.requester)
    make_hit(hit_type, max_assignments=5)
    return hit_type


def test_a_blocked_worker_accepts_nothing_of_this_requester(
    mturk: "MTurkClient", hit_type: HITType, worker: Worker
) -> None:
    elsewhere = make_hit_type()
    make_hit(elsewhere)

    mturk.create_worker_block(WorkerId=worker.worker_id, Reason="Answers by a script")

    with pytest.raises(NotQualified) as refused:
        accept_hit(worker=worker, group_id=hit_type.group_id)
    assert refused.value.message == CLOSED
    make_accepted(elsewhere, worker)
    make_accepted(hit_type)
    shown = {group.hit_type: group for group in hit_groups_open_to(worker)}
    assert [reason.sentence for reason in shown[hit_type].unmet] == [CLOSED]
    group = hit_group(worker, group_id=hit_type.group_id)
    assert (group.can_accept, group.can_preview, group.is_hidden) == (False, True, False)


def test_what_a_worker_holds_when_blocked_they_can_submit(
    mturk: "MTurkClient", hit_type: HITType, worker: Worker
) -> None:
    held = make_accepted(hit_type, worker)

    mturk.create_worker_block(WorkerId=worker.worker_id, Reason="x")

    submit_assignment(assignment_id=held.assignment_id, fields=[("answer", "yes")])


def test_unblocking_opens_the_tasks_again(
    mturk: "MTurkClient", hit_type: HITType, worker: Worker
) -> None:
    mturk.create_worker_block(WorkerId=worker.worker_id, Reason="x")
    mturk.delete_worker_block(WorkerId=worker.worker_id, Reason="It was somebody else")
    mturk.delete_worker_block(WorkerId=worker.worker_id)

    assert accept_hit(worker=worker, group_id=hit_type.group_id).worker == worker


def test_blocks_are_listed_with_their_latest_reason(
    mturk: "MTurkClient", client_for: ClientFor, worker: Worker
) -> None:
    other = make_worker()
    for blocked, reason in ((worker, "first"), (other, "too fast"), (worker, "second")):
        mturk.create_worker_block(WorkerId=blocked.worker_id, Reason=reason)

    listed = mturk.list_worker_blocks()

    assert listed["WorkerBlocks"] == [
        {"WorkerId": other.worker_id, "Reason": "too fast"},
        {"WorkerId": worker.worker_id, "Reason": "second"},
    ]
    assert client_for(make_key()).list_worker_blocks()["WorkerBlocks"] == []


def test_a_worker_that_there_is_not_cannot_be_blocked(mturk: "MTurkClient") -> None:
    with pytest.raises(ClientError, match="Worker A0NOBODY does not exist"):
        mturk.create_worker_block(WorkerId="A0NOBODY", Reason="x")
    with pytest.raises(ClientError, match="Worker A0NOBODY does not exist"):
        mturk.delete_worker_block(WorkerId="A0NOBODY")
    assert not WorkerBlock.objects.exists()
