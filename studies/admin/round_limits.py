"""Changing how much one worker may do in a round, and which rounds share no worker with it."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from studies.admin.base import ModelAdmin, find, require
from studies.admin.forms import WORDS
from studies.admin.limit_fields import LimitFields
from studies.admin.round_changes import PERMISSION
from studies.models import Round
from studies.services.limits import foresee_limits, limit_workers
from studies.services.plans import RoundRefused

TEMPLATE = "admin/studies/round/limits.html"


class LimitsForm(LimitFields):
    """`seen`: the limits when the person looked, as `_standing` writes them."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: QueryDict | None, *, round: Round) -> None:
        others = round.study.rounds.exclude(pk=round.pk).order_by("-number")
        standing = {
            "worker_cap": round.worker_cap,
            "apart_from": list(round.apart_from.all()),
            "seen": _standing(round),
        }
        super().__init__(data, others=others, initial=standing)
        for field in self.fields.values():
            field.error_messages |= WORDS


def limit(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """The form; with ?step=review what it would mean; by POST it is done.

    Security: staff who may change rounds; others get 403 or 404.
    """
    require(request, PERMISSION)
    round = find(request, Round.objects.select_related("study"), object_id)
    if request.method != "POST":
        form = LimitsForm(request.GET if "step" in request.GET else None, round=round)
        return _page(admin, request, round, form)
    form = LimitsForm(request.POST, round=round)
    if not form.is_valid():
        return _page(admin, request, round, form, status=422)
    if form.cleaned_data.pop("seen") != _standing(round):
        messages.warning(
            request,
            _("The limits were changed since you looked. Nothing was done; they are below."),
        )
        return HttpResponseRedirect(request.path, status=303)
    return _change(admin, request, round, form)


def _change(
    admin: ModelAdmin, request: HttpRequest, round: Round, form: LimitsForm
) -> HttpResponse:
    try:
        limit_workers(round=round, **form.cleaned_data)
    except RoundRefused as refusal:
        form.add_error(None, str(refusal))
        return _page(admin, request, round, form, status=422)
    admin.log_change(request, round, _("Changed the limits: %(limits)s") % {"limits": said(round)})
    messages.success(request, _("The limits are changed. They hold from the next task on."))
    return HttpResponseRedirect(reverse("admin:studies_round_change", args=[round.pk]), status=303)


def said(round: Round) -> str:
    cap = (
        _("at most %(n)s tasks of one worker") % {"n": round.worker_cap}
        if round.worker_cap
        else _("as many tasks of one worker as there are")
    )
    apart = ", ".join(str(other.number) for other in round.apart_from.order_by("number"))
    return f"{cap}; {_('kept apart from round %(numbers)s') % {'numbers': apart}}" if apart else cap


def _page(
    admin: ModelAdmin, request: HttpRequest, round: Round, form: LimitsForm, status: int = 200
) -> HttpResponse:
    wanted = form.cleaned_data if form.is_bound and form.is_valid() else None
    foreseen = None
    if wanted is not None:
        foreseen = foresee_limits(
            round=round, worker_cap=wanted["worker_cap"], apart_from=wanted["apart_from"]
        )
    return admin.page(
        request,
        TEMPLATE,
        title=_("Limits of the round"),
        status=status,
        original=round,
        round=round,
        study=round.study,
        form=form,
        apart=list(round.apart_from.order_by("number")),
        wanted=wanted,
        foreseen=foreseen,
        changes=foreseen is not None and foreseen.changes,
    )


def _standing(round: Round) -> str:
    apart = round.apart_from.order_by("pk").values_list("pk", flat=True)
    return "-".join(map(str, [round.worker_cap or 0, *apart]))
