from __future__ import annotations

from typing import TYPE_CHECKING

from marketplace.models import WorkerBlock
from marketplace.operations.owned import known_worker
from marketplace.protocol.paging import page_by_id
from marketplace.protocol.registry import Answer, Call, operation
from marketplace.services.blocks import block_worker, unblock_worker

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import (
        CreateWorkerBlockRequestTypeDef,
        DeleteWorkerBlockRequestTypeDef,
        ListWorkerBlocksRequestTypeDef,
    )


@operation("CreateWorkerBlock")
def create_worker_block(call: Call[CreateWorkerBlockRequestTypeDef]) -> Answer:
    given = call.parameters
    worker = known_worker(given["WorkerId"])
    block_worker(requester=call.requester, worker=worker, reason=given["Reason"])
    return {}


@operation("DeleteWorkerBlock")
def delete_worker_block(call: Call[DeleteWorkerBlockRequestTypeDef]) -> Answer:
    unblock_worker(requester=call.requester, worker=known_worker(call.parameters["WorkerId"]))
    return {}


@operation("ListWorkerBlocks")
def list_worker_blocks(call: Call[ListWorkerBlocksRequestTypeDef]) -> Answer:
    """The caller's own, newest first."""
    rows = WorkerBlock.objects.filter(requester=call.requester).select_related("worker")
    found, token = page_by_id(rows, call)
    answers = [{"WorkerId": one.worker.worker_id, "Reason": one.reason} for one in found]
    return {"NextToken": token, "NumResults": len(answers), "WorkerBlocks": answers}
