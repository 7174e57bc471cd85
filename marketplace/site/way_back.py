"""Where somebody wanted to go before signing in, kept for those who come in by personal link.

Signing in by password carries the address in its form; a link is opened from elsewhere, so this
browser keeps the address meanwhile.
"""

from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve, reverse
from django.utils.encoding import iri_to_uri
from django.utils.http import url_has_allowed_host_and_scheme

from marketplace.models import Assignment, Worker

COOKIE = "fabula_way_back"
KEPT_FOR_SECONDS = 3600
LONGEST = 500
# Of these an answer that counts has arrived; a rejection is told to its worker only.
ARRIVED = (Assignment.Status.SUBMITTED, Assignment.Status.APPROVED)


def is_local(url: str | None) -> bool:
    """Whether `url` stays on this site: a path, never another host."""
    return bool(url and url.startswith("/")) and url_has_allowed_host_and_scheme(
        url, allowed_hosts=None
    )


def keep_way_back(request: HttpRequest, response: HttpResponse) -> None:
    """Keep the sign-in page's `next`; a visit without one forgets what was kept before."""
    asked = request.GET.get("next", "")
    wanted = iri_to_uri(asked)
    if not is_local(asked) or len(wanted) > LONGEST:
        forget_way_back(response)
        return
    response.set_cookie(
        COOKIE,
        wanted,
        max_age=KEPT_FOR_SECONDS,
        path=reverse("worker-list"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )


def forget_way_back(response: HttpResponse) -> None:
    response.delete_cookie(COOKIE, path=reverse("worker-list"), samesite="Lax")


def way_back(request: HttpRequest, worker: Worker) -> str:
    """The kept address, if it is on this site and not the assignment of somebody else."""
    wanted = request.COOKIES.get(COOKIE, "")
    if not is_local(wanted):
        return reverse("worker-list")
    assignment_id = assignment_at(wanted)
    if assignment_id and not worker.assignments.filter(assignment_id=assignment_id).exists():
        return reverse("worker-list")
    return wanted


def has_arrived(wanted: str) -> bool:
    """Whether the address is that of an assignment whose answers are in, and count."""
    assignment_id = assignment_at(wanted)
    return (
        bool(assignment_id)
        and Assignment.objects.filter(assignment_id=assignment_id, status__in=ARRIVED).exists()
    )


def assignment_at(address: str) -> str:
    """The id of the assignment whose page it is, or one below it; "" of any other address."""
    try:
        found = resolve(address.partition("?")[0])
    except Resolver404:
        return ""
    of_workers = (found.url_name or "").startswith("worker-")
    return str(found.kwargs.get("assignment_id", "")) if of_workers else ""
