"""Launching a round: the form with its estimate, a page to review it, and the launch."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies import tasks
from studies.admin import launch_notes
from studies.admin.base import ModelAdmin, find, require
from studies.admin.forms import EXPLANATIONS, LaunchForm
from studies.admin.launch_notes import Note, notes_on
from studies.admin.round_page import times_of
from studies.durations import say_duration
from studies.models import Round, Study
from studies.services import rounds
from studies.services.estimates import suggest_reward
from studies.services.plans import AboveBudget, Plan, RoundRefused, estimate_round
from studies.services.round_figures import median_time_of
from studies.services.study_figures import money_of

PERMISSIONS = ("studies.view_study", "studies.add_round")
TEMPLATE = "admin/studies/study/launch.html"
REVIEW_TEMPLATE = "admin/studies/study/launch_review.html"
# What is said without its box ticked.
ABOVE_BUDGET = gettext_lazy(
    "This costs more than what is left of the budget. Tick the box to launch it."
)
UNPAID = gettext_lazy("This pays nothing. Tick the box to launch it.")


def launch(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """The form; with ?step=review what it would do; by POST the launch itself.

    Security: staff who may see studies and add rounds; others get 403, and who is not signed in is
    sent to the admin's sign-in. Sending a launch again leads to the round that it made.
    """
    require(request, *PERMISSIONS)
    study = find(request, Study, object_id)
    if request.method == "POST":
        return _launch(admin, request, study)
    form = _form(study, _given(request.GET))
    if form.is_bound and form.is_valid() and request.GET.get("step") == "review":
        return _review(admin, request, form)
    return _form_page(admin, request, form)


def estimate(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """The estimate alone, as the form is being filled in.

    Security: as `launch`.
    """
    require(request, *PERMISSIONS)
    form = _form(find(request, Study, object_id), request.GET)
    return render(request, "admin/studies/study/_estimate.html", estimate_of(form))


def estimate_of(form: LaunchForm) -> dict[str, Any]:
    """What the round would cost and pay. Without `estimate` where the form is not complete."""
    if not form.is_valid():
        return {"money": money_of(form.study), "estimate": None}
    return costs_of(form.plan, form.cleaned_data["target_hourly_usd"])


def costs_of(plan: Plan, target: Decimal | None) -> dict[str, Any]:
    """What launching this costs and pays; `target` dollars an hour are aimed for."""
    money = money_of(plan.study)
    cost = estimate_round(plan)
    median = median_time_of(plan.study, plan.task_type.slug)
    return {
        "money": money,
        "estimate": cost,
        "plan": plan,
        "median_text": say_duration(median) if median else "",
        "target_hourly_usd": target,
        "suggested_usd": (
            suggest_reward(median_time=median, target_hourly_usd=target)
            if median and target
            else None
        ),
        "above_budget": money.left_usd is not None and cost.total_usd > money.left_usd,
        "unpaid": not plan.reward_usd,
    }


def _form(study: Study, data: QueryDict | None) -> LaunchForm:
    return LaunchForm(data, study=study, stories=study.stories.count())


def _given(query: QueryDict) -> QueryDict | None:
    """What the person filled in, with a suggested reward that they took; None at first."""
    if "use_reward" not in query:
        return query if "step" in query else None
    given = query.copy()
    given["reward_usd"] = str(query["use_reward"])
    return given


def _form_page(
    admin: ModelAdmin, request: HttpRequest, form: LaunchForm, status: int = 200
) -> HttpResponse:
    filled = form if form.is_bound else form.filled_in()
    return admin.page(
        request,
        TEMPLATE,
        title=_("Launch a round"),
        status=status,
        original=form.study,
        study=form.study,
        form=form,
        **estimate_of(filled),
    )


def _review(
    admin: ModelAdmin, request: HttpRequest, form: LaunchForm, *, status: int = 200, error: str = ""
) -> HttpResponse:
    return admin.page(
        request,
        REVIEW_TEMPLATE,
        title=_("Review the round"),
        status=status,
        original=form.study,
        study=form.study,
        form=form,
        error=error,
        eligibility=EXPLANATIONS[form.plan.eligibility],
        times=times_of(form.plan),
        notes=notes_on(form.plan),
        back=_way_back(form),
        **estimate_of(form),
    )


def _way_back(form: LaunchForm) -> str:
    """The query that opens the form again as it was filled in."""
    assert isinstance(form.data, QueryDict)
    query = QueryDict(mutable=True)
    query["step"] = "estimate"
    for name in form.fields:
        query.setlist(name, form.data.getlist(name))
    return query.urlencode()


def _launch(admin: ModelAdmin, request: HttpRequest, study: Study) -> HttpResponse:
    form = _form(study, request.POST)
    if not form.is_valid():
        return _form_page(admin, request, form, status=422)
    if error := unconfirmed(estimate_of(form), request.POST):
        return _review(admin, request, form, status=422, error=error)
    try:
        round, job = rounds.launch_round(
            plan=form.plan, user=request.user, launch_key=form.cleaned_data["launch_key"]
        )
    except rounds.AlreadyLaunched as already:
        messages.warning(request, _("You launched this round already: here it is."))
        return to_round(already.round)
    except AboveBudget:
        return _review(admin, request, form, status=422, error=str(ABOVE_BUDGET))
    except RoundRefused as refusal:
        form.add_error(None, str(refusal))
        return _form_page(admin, request, form, status=422)
    tasks.wake(job)
    admin.log_change(request, study, _("Launched round %(number)s") % {"number": round.number})
    messages.success(request, _("The round is launched. Its slots are being published."))
    return to_round(round)


def note_on_consent(plan: Plan) -> Note | None:
    if plan.study.consent_text.strip():
        return None
    return Note(
        _("The study has no consent text, so workers are not asked to agree to anything."),
        _("Write one"),
        reverse("admin:studies_study_change", args=[plan.study.pk]),
    )


launch_notes.register(note_on_consent)


def unconfirmed(costs: Mapping[str, Any], given: QueryDict) -> str:
    """What to ask for where a launch needs a box ticked that is not."""
    return str(UNPAID) if costs["unpaid"] and "unpaid" not in given else ""


def to_round(round: Round) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:studies_round_change", args=[round.pk]), status=303)
