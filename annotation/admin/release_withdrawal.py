"""Taking out what workers gave: an action on the list of participants, and its confirmation."""

from collections import Counter

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.models import Release
from annotation.releases.withdrawal import preview_withdrawal, withdraw_participant
from studies.admin.base import ModelAdmin, require, visible
from studies.admin.participant import ParticipantAdmin
from studies.models import Participant

PERMISSION = "studies.change_participant"
LIST = "admin:studies_participant_changelist"


@admin.action(description=gettext_lazy("Withdraw what they gave"), permissions=["qualify"])
def withdraw_work(
    model_admin: ParticipantAdmin, request: HttpRequest, queryset: QuerySet[Participant]
) -> HttpResponse:
    return _page(model_admin, request, list(queryset.select_related("study").order_by("pk")))


def withdraw(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Withdraw what the chosen workers gave. POST only; the action asks first.

    Security: staff who may change participants, of studies they research; others get 403.
    """
    require(request, PERMISSION)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    given = [pk for pk in request.POST.getlist(ACTION_CHECKBOX_NAME) if pk.isdecimal()]
    count = 0
    for participant in visible(request, Participant).filter(pk__in=given).order_by("pk"):
        count += withdraw_participant(participant=participant).contributions
        admin.log_change(request, participant, _("Withdrew what this worker gave"))
    _say(request, count)
    return HttpResponseRedirect(reverse(LIST), status=303)


def _page(admin: ModelAdmin, request: HttpRequest, workers: list[Participant]) -> HttpResponse:
    found = [preview_withdrawal(participant=worker) for worker in workers]
    held: Counter[Release] = Counter()
    used: Counter[tuple[str, str]] = Counter()
    for one in found:
        held.update(dict(one.releases))
        used.update({(use.name, reverse(use.page, args=[use.pk])): use.rows for use in one.uses})
    return admin.page(
        request,
        "admin/annotation/release/withdraw.html",
        title=_("Withdraw what they gave"),
        workers=list(zip(workers, found, strict=True)),
        contributions=sum(one.contributions for one in found),
        releases=sorted(held.items(), key=lambda item: item[0].pk),
        uses=[(name, address, rows) for (name, address), rows in used.items()],
        checkbox_name=ACTION_CHECKBOX_NAME,
    )


def _say(request: HttpRequest, count: int) -> None:
    if not count:
        messages.warning(request, _("Nothing to withdraw of these workers."))
        return
    text = ngettext(
        "%(n)s contribution is withdrawn. It enters no further export or release.",
        "%(n)s contributions are withdrawn. They enter no further export or release.",
        count,
    )
    messages.success(request, text % {"n": f"{count:,}"})


ParticipantAdmin.actions = [*ParticipantAdmin.actions, withdraw_work]
