"""One HIT group: what it is, a preview, and accepting."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from marketplace.errors import AlreadyHolding, HoldingTooMany, NothingLeft, NotQualified
from marketplace.frames import preview_of
from marketplace.models import HIT, HITType, Worker
from marketplace.questions import ExternalQuestion
from marketplace.services.assignments import accept_hit
from marketplace.services.groups import hit_group
from marketplace.site.access import worker_required
from marketplace.site.framing import render_with_frame
from marketplace.site.offers import Offer, offers_of, why_nothing_left
from marketplace.site.preferences import accepts_next, remember_accepts_next

UNKNOWN_GROUP = _("These tasks are not known here.")


@worker_required
def group(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    """A group with its preview.

    Security: any worker. Who does not meet a requirement that guards the preview is told which
    one instead of seeing it; of a group that is hidden from them, they see the title only.
    """
    return group_page(request, worker, offer_of(worker, group_id))


@worker_required
def accept(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    """Accept a HIT of the group and go to it, or say why not; asked by GET it shows the group.

    Security: any worker; the service checks the requirements. Who already holds a HIT of the
    group (a second click) is taken to that one.
    """
    if request.method != "POST":
        return redirect("worker-group", group_id)
    remember_accepts_next(request)
    try:
        assignment = accept_hit(worker=worker, group_id=group_id)
    except HITType.DoesNotExist as error:
        raise Http404(UNKNOWN_GROUP) from error
    except AlreadyHolding as refusal:
        return redirect("worker-assignment", refusal.assignment.assignment_id)
    except NotQualified:
        return group_page(request, worker, offer_of(worker, group_id), HTTPStatus.FORBIDDEN)
    except NothingLeft:
        return group_page(request, worker, offer_of(worker, group_id), HTTPStatus.CONFLICT)
    except HoldingTooMany as refusal:
        messages.error(request, refusal.message)
        return group_page(request, worker, offer_of(worker, group_id), HTTPStatus.CONFLICT)
    return redirect("worker-assignment", assignment.assignment_id)


def offer_of(worker: Worker, group_id: str) -> Offer:
    try:
        found = hit_group(worker, group_id=group_id)
    except HITType.DoesNotExist as error:
        raise Http404(UNKNOWN_GROUP) from error
    return offers_of(worker, [found])[0]


def group_page(
    request: HttpRequest, worker: Worker, offer: Offer, status: int = HTTPStatus.OK
) -> HttpResponse:
    hidden = offer.group.is_hidden and offer.group.held is None
    context = {
        "worker": worker,
        "section": "list",
        "offer": offer,
        "hidden": hidden,
        "nothing_left": "" if offer.ends_at else why_nothing_left(offer.hit_type),
        "accepts_next": accepts_next(request),
    }
    frame = _preview(offer.hit_type) if offer.group.can_preview else None
    status = HTTPStatus.FORBIDDEN if hidden else status
    return render_with_frame(request, "worker/group.html", context, frame=frame, status=status)


def _preview(hit_type: HITType) -> ExternalQuestion | None:
    """The HIT that would be accepted next, else the latest one."""
    hit = (
        hit_type.hits.assignable(timezone.now()).first()
        or hit_type.hits.exclude(status=HIT.Status.DISPOSED).first()
    )
    return preview_of(hit) if hit else None
