"""Approving a response that was rejected: a deliberate step, mostly after what its worker said."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from studies import tasks
from studies.admin.base import ModelAdmin, find, require
from studies.models import Response
from studies.services import rejections

DECIDE = "studies.add_payment"


def may_be_overruled(response: Response) -> bool:
    payment = getattr(response.assignment, "payment", None)
    return payment is not None and rejections.can_be_overruled(payment, at=timezone.now())


def approve_after_all(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Take the rejection back and pay. POST only; again changes nothing.

    Security: staff who may add payments, of their studies; others get 403 or 404.
    """
    user = require(request, DECIDE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    response = find(request, Response.objects.select_related("assignment"), object_id)
    with transaction.atomic():
        wished = rejections.approve_after_all(assignment=response.assignment, user=user)
        tasks.send_on_commit(tasks.send_payments)
    if wished:
        admin.log_change(request, response, _("Approved after all"))
        messages.success(request, _("Approved after all; the payment is being sent."))
    else:
        messages.warning(
            request, _("This was left as it is: it is no rejection, or its 30 days are over.")
        )
    address = reverse("admin:studies_response_change", args=[response.pk])
    return HttpResponseRedirect(address, status=303)
