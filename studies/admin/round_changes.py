"""The buttons of a round's page: pause, resume, extend, close."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from studies import tasks
from studies.admin.base import ModelAdmin, find, require
from studies.admin.forms import ExtendForm
from studies.models import Job, Round, Story
from studies.services import plans, rounds
from studies.services.estimates import Estimate, estimate_cost
from studies.services.round_figures import open_places, wanted_responses
from studies.services.study_figures import money_of

PERMISSION = "studies.change_round"


def pause(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Hide the open slots. POST only.

    Security: staff who may change rounds; others get 403.
    """
    done = _("The round is paused. Its open slots are being hidden; work in hand can be finished.")
    return _change(admin, request, object_id, rounds.pause_round, done)


def resume(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Offer the open slots again, for a full lifetime. POST only.

    Security: staff who may change rounds; others get 403.
    """
    done = _("The round is open again. Its slots are being brought back.")
    return _change(admin, request, object_id, rounds.resume_round, done)


def close(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Ask first; by POST expire what is not taken, for good.

    Security: staff who may change rounds; others get 403.
    """
    if request.method == "POST":
        done = _("The round is closed. Work in hand can be finished and is still collected.")
        return _change(admin, request, object_id, rounds.close_round, done)
    require(request, PERMISSION)
    round = find(request, Round, object_id)
    return admin.page(
        request,
        "admin/studies/round/close.html",
        title=_("Close the round"),
        original=round,
        round=round,
        open_places=open_places(round),
    )


def extend(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """More workers for each task or more stories, with the cost; by POST it is done.

    Security: staff who may change rounds; others get 403. Sent twice, it extends once.
    """
    user = require(request, PERMISSION)
    round = find(request, Round, object_id)
    if request.method != "POST":
        form = ExtendForm(request.GET) if "step" in request.GET else ExtendForm()
        return _extend_page(admin, request, round, form)
    form = ExtendForm(request.POST)
    if not form.is_valid():
        return _extend_page(admin, request, round, form, status=422)
    try:
        job = rounds.extend_round(
            round=round,
            user=user,
            above_budget="above_budget" in request.POST,
            **form.cleaned_data,
        )
    except plans.AboveBudget:
        error = _("This costs more than what is left of the budget. Tick the box to extend it.")
        return _extend_page(admin, request, round, form, status=422, error=error)
    except rounds.RoundChanged as changed:
        messages.warning(request, str(changed))
        return _to_round(round)
    except plans.RoundRefused as refusal:
        form.add_error(None, str(refusal))
        return _extend_page(admin, request, round, form, status=422)
    tasks.wake(job)
    admin.log_change(request, round, _("Extended"))
    messages.success(request, _("The round is extended. Its new slots are being published."))
    return _to_round(round)


def _extend_page(
    admin: ModelAdmin,
    request: HttpRequest,
    round: Round,
    form: ExtendForm,
    *,
    status: int = 200,
    error: str = "",
) -> HttpResponse:
    used = round.tasks.count()
    fresh = Story.objects.filter(study=round.study).exclude(tasks__round=round).count()
    wanted = wanted_responses(round)
    added = _cost(round, form.cleaned_data, used) if form.is_bound and form.is_valid() else None
    money = money_of(round.study)
    left = money.left_usd
    return admin.page(
        request,
        "admin/studies/round/extend.html",
        title=_("Extend the round"),
        status=status,
        original=round,
        round=round,
        form=form,
        error=error,
        task_count=used,
        fresh_stories=fresh,
        wanted=wanted,
        wanted_plain=str(wanted),
        added=added,
        money=money,
        above_budget=added is not None and left is not None and added.total_usd > left,
    )


def _cost(round: Round, added: dict[str, Any], task_count: int) -> Estimate:
    """What the extension adds: new workers for the old tasks, all workers for the new ones."""
    overlap, stories = added["overlap"], added["stories"]
    places = task_count * overlap + stories * (round.overlap + overlap)
    return estimate_cost(
        tasks=places,
        overlap=1,
        reward_usd=round.reward_usd,
        fee_share=Decimal(settings.MARKETPLACE_FEE),
    )


def _change(
    admin: ModelAdmin,
    request: HttpRequest,
    object_id: int,
    service: Callable[..., Job],
    done: str,
) -> HttpResponse:
    user = require(request, PERMISSION)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    round = find(request, Round, object_id)
    try:
        tasks.wake(service(round=round, user=user))
    except plans.RoundRefused as refusal:
        messages.error(request, str(refusal))
    else:
        admin.log_change(request, round, done)
        messages.success(request, done)
    return _to_round(round)


def _to_round(round: Round) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:studies_round_change", args=[round.pk]), status=303)
