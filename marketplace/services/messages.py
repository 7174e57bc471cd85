"""What requesters write to workers. A worker's unread messages are counted with every change."""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from marketplace.models import Assignment, Message, Requester, Worker


@transaction.atomic
def send_messages(
    *, requester: Requester, workers: Iterable[Worker], subject: str, text: str, at: datetime
) -> None:
    """One to each of them."""
    wanted = Worker.objects.filter(pk__in={worker.pk for worker in workers})
    # In one order, so that two who write to the same workers do not wait for each other.
    known = list(wanted.select_for_update(no_key=True).order_by("pk"))
    Message.objects.bulk_create(
        Message(requester=requester, worker=worker, subject=subject, text=text, sent_at=at)
        for worker in known
    )
    wanted.update(unread_messages=F("unread_messages") + 1)


@transaction.atomic
def mark_read(*, worker: Worker, messages: Collection[Message], at: datetime) -> None:
    """What somebody else's page has marked already is not counted twice."""
    unread = worker.messages.filter(pk__in=[one.pk for one in messages], read_at=None)
    if count := unread.update(read_at=at):
        Worker.objects.filter(pk=worker.pk).update(unread_messages=F("unread_messages") - count)


def workers_known_to(requester: Requester, workers: Iterable[Worker]) -> set[int]:
    """The keys of those of whom the requester has approved or rejected work."""
    decided = Assignment.objects.filter(
        worker=OuterRef("pk"), hit__requester=requester, status__in=Assignment.REVIEWED
    )
    # One assignment of each says it; some have done thousands.
    known = Worker.objects.filter(Exists(decided), pk__in=[worker.pk for worker in workers])
    return set(known.values_list("pk", flat=True))
