"""Keeping workers from a requester's HITs, and letting them in again."""

from marketplace.models import Requester, Worker, WorkerBlock


def block_worker(*, requester: Requester, worker: Worker, reason: str) -> WorkerBlock:
    """Blocking again changes the reason."""
    block, _created = WorkerBlock.objects.update_or_create(
        requester=requester, worker=worker, defaults={"reason": reason}
    )
    return block


def unblock_worker(*, requester: Requester, worker: Worker) -> None:
    """Also who is not blocked."""
    WorkerBlock.objects.filter(requester=requester, worker=worker).delete()
