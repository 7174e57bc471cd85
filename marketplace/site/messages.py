"""What requesters wrote to a worker."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from marketplace.models import Worker
from marketplace.services.messages import mark_read
from marketplace.site.access import worker_required

ON_A_PAGE = 20


@worker_required
def messages(request: HttpRequest, worker: Worker) -> HttpResponse:
    """The latest first; what is shown counts as read.

    Security: a worker sees their own; signed-out people are sent to sign in.
    """
    rows = worker.messages.select_related("requester").order_by("-id")
    page = Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"worker": worker, "section": "messages", "page": page}
    response = render(request, "worker/messages.html", context)
    if worker.unread_messages:
        mark_read(worker=worker, messages=list(page.object_list), at=timezone.now())
    return response
