from __future__ import annotations

from typing import TYPE_CHECKING

from marketplace.models import Worker
from marketplace.protocol.errors import ValueInvalid
from marketplace.protocol.registry import Answer, Call, operation
from marketplace.services.messages import send_messages, workers_known_to

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import NotifyWorkersRequestTypeDef


@operation("NotifyWorkers")
def notify_workers(call: Call[NotifyWorkersRequestTypeDef]) -> Answer:
    """Who cannot be written to is named in the answer; the others get the message."""
    given = call.parameters
    for name, said in (("Subject", given["Subject"]), ("MessageText", given["MessageText"])):
        if not said.strip():
            raise ValueInvalid(said, name, "The worker reads it: say something.")
    asked = dict.fromkeys(given["WorkerIds"])
    workers = {one.worker_id: one for one in Worker.objects.filter(worker_id__in=asked)}
    known = workers_known_to(call.requester, workers.values())
    send_messages(
        requester=call.requester,
        workers=[worker for worker in workers.values() if worker.pk in known],
        subject=given["Subject"],
        text=given["MessageText"],
        at=call.at,
    )
    failures = [
        {
            "WorkerId": worker_id,
            "NotifyWorkersFailureCode": "HardFailure",
            "NotifyWorkersFailureMessage": _failure(worker_id, workers),
        }
        for worker_id in asked
        if worker_id not in workers or workers[worker_id].pk not in known
    ]
    return {"NotifyWorkersFailureStatuses": failures}


def _failure(worker_id: str, workers: dict[str, Worker]) -> str:
    if worker_id not in workers:
        return f"Worker {worker_id} does not exist."
    return f"You have not approved or rejected any work of worker {worker_id}."
