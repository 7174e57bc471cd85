"""What stands above a plan's form: its rule, its sample, the experts' agreement; two buttons."""

import secrets
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count, Q, Sum
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from annotation.admin.review_agreement import pool_rows, sample_rows
from annotation.admin.review_curve import curve_of
from annotation.models import Pool, ReviewPlan, ReviewSource, Verdict
from annotation.review.adjudication import disputed
from annotation.review.counted import counted_picks
from annotation.review.drawing import Coverage, coverage_of, top_up_samples
from annotation.review.plans import sampling_rule
from annotation.review.pools import TooFewSettled
from annotation.review.pools import draw_pool as draw
from studies.admin.base import ModelAdmin, find, require

TOP_UP, DRAW_POOL = "annotation.add_draw", "annotation.add_pool"
POOL_SIZE = 200
PERCENT = 100


class PoolForm(forms.Form):
    size = forms.IntegerField(
        label=gettext_lazy("Responses"),
        min_value=1,
        max_value=5000,
        initial=POOL_SIZE,
        widget=UnfoldAdminIntegerFieldWidget,
        error_messages={
            "required": gettext_lazy("Say how many responses all experts judge."),
            "invalid": gettext_lazy("Write a number, such as 200."),
            "min_value": gettext_lazy("Draw at least %(limit_value)s."),
            "max_value": gettext_lazy("Draw at most %(limit_value)s."),
        },
    )


def overview_of(plan: ReviewPlan, request: HttpRequest) -> dict[str, Any]:
    """A bounded number of queries, however large the study is."""
    coverage = coverage_of(plan)
    rule = sampling_rule(plan)
    return {
        "plan": plan,
        "curve": curve_of(rule, largest=max((one.submitted for one in coverage), default=0)),
        "rule_text": rule_words(plan),
        "figures": _figures(plan, coverage),
        "agreement": sample_rows(plan),
        "pools": [(pool, pool_rows(pool)) for pool in plan.pools.all()],
        "pool_form": PoolForm(),
        "may_top_up": request.user.has_perm(TOP_UP),
        "may_draw_pool": request.user.has_perm(DRAW_POOL),
    }


def rule_words(plan: ReviewPlan) -> str:
    return _(
        "%(share)s%% of them; further on %(slower)s%% and %(plus)s more, where that is less; "
        "at most %(most)s."
    ) % {
        "share": _percent(plan.sample_share),
        "slower": _percent(plan.slower_share),
        "plus": number_format(plan.slower_plus),
        "most": number_format(plan.sample_most),
    }


def top_up(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Draw what the rule asks for by now. POST only; again draws nothing.

    Security: staff who may draw samples, of studies whose researchers they are; others get 403 or
    404.
    """
    require(request, TOP_UP)
    plan = find(request, ReviewPlan, object_id)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    drawn = top_up_samples(plan=plan)
    if drawn.picks:
        text = ngettext("%(count)s response drawn", "%(count)s responses drawn", drawn.picks)
        admin.log_change(request, plan, text % {"count": drawn.picks})
        messages.success(request, text % {"count": number_format(drawn.picks)} + ".")
    else:
        messages.warning(request, _("The sample holds all that the rule asks for: none was drawn."))
    return _back(plan)


def draw_pool(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Draw responses that all experts judge. POST only.

    Security: staff who may draw pools; else as `top_up`.
    """
    user = require(request, DRAW_POOL)
    plan = find(request, ReviewPlan, object_id)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    form = PoolForm(request.POST)
    if not form.is_valid():
        messages.warning(request, " ".join(map(str, form.errors["size"])))
        return _back(plan)
    size, seed = form.cleaned_data["size"], secrets.randbelow(2**31)
    try:
        _say_drawn(admin, request, draw(plan=plan, size=size, seed=seed, user=user))
    except TooFewSettled as few:
        messages.warning(request, _say_few(few.found))
    return _back(plan)


def _say_drawn(admin: ModelAdmin, request: HttpRequest, pool: Pool) -> None:
    admin.log_change(request, pool.plan, _("Drew %(pool)s") % {"pool": pool})
    text = ngettext(
        "A pool of %(count)s response is drawn. Each expert finds it after their sample.",
        "A pool of %(count)s responses is drawn. Each expert finds it after their sample.",
        pool.size,
    )
    messages.success(request, text % {"count": number_format(pool.size)})


def _say_few(found: int) -> str:
    if not found:
        return _("No response has a verdict that stands yet, so there is no pool to draw.")
    text = ngettext(
        "Only %(found)s response has a verdict that stands. Draw no more than that.",
        "Only %(found)s responses have a verdict that stands. Draw at most so many.",
        found,
    )
    return text % {"found": number_format(found)}


def _figures(plan: ReviewPlan, coverage: list[Coverage]) -> dict[str, int]:
    sample = counted_picks(plan.pk)
    picks = sample.aggregate(
        drawn=Count("pk"), seats=Sum("experts", default=0), doubles=Count("pk", Q(experts=2))
    )
    given = Verdict.objects.filter(
        contribution__in=sample.values("contribution"),
        source=ReviewSource.SAMPLE,
        replaced_at__isnull=True,
    )
    return {
        **picks,
        "workers": len(coverage),
        "responses": sum(one.submitted for one in coverage),
        "missing": sum(one.missing for one in coverage),
        "judged": given.count(),
        "disputed": disputed(plan).count(),
    }


def _percent(share: Any) -> str:
    return number_format((share * PERCENT).normalize().__format__("f"))


def _back(plan: ReviewPlan) -> HttpResponse:
    address = reverse("admin:annotation_reviewplan_change", args=[plan.pk])
    return HttpResponseRedirect(address, status=303)
