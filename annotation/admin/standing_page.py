"""The page of a study's standings, and the one that says what applying them would do."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.admin.standing_table import rows_of
from annotation.proficiency.changes import Foreseen, changes_of, foresee
from annotation.proficiency.deciding import apply_standings
from annotation.proficiency.rule import ProficiencyRule
from annotation.proficiency.standings import WorkerStanding, listed, plan_of, standings_of
from annotation.proficiency.words import say_rule, say_share
from annotation.review.plans import proficiency_rule
from studies import tasks
from studies.admin.base import ModelAdmin, find, require
from studies.models import Study

SEE = "annotation.view_decision"
DECIDE = "annotation.add_decision"
EXTRA = 10
ON_A_PAGE = 100


class ExtraForm(forms.Form):
    extra = forms.IntegerField(label=gettext_lazy("More reviews"), min_value=1, max_value=1000)


def show(admin: ModelAdmin, request: HttpRequest, study_pk: int) -> HttpResponse:
    """Every worker: evidence, standing, what is still needed, what more reviews could change.

    Security: staff who may see decisions, of a study they research; others get 403 or 404.
    """
    require(request, SEE)
    study = find(request, Study.objects.select_related("review_plan"), study_pk)
    form = ExtraForm({"extra": request.GET.get("extra", str(EXTRA))})
    extra = form.cleaned_data["extra"] if form.is_valid() else EXTRA
    workers, rule = standings_of(study), _rule_of(study)
    wanted = request.GET.get("standing", "")
    chosen = [worker for worker in workers if wanted in {"", worker.standing}]
    page = Paginator(chosen, ON_A_PAGE).get_page(request.GET.get("page"))
    return admin.page(
        request,
        "admin/annotation/standing/page.html",
        title=_("Standings"),
        original=study,
        study=study,
        form=form,
        extra=extra,
        rule=say_rule(rule),
        allowed=say_share(float(rule.max_rejected_share)),
        rows=rows_of(list(page.object_list), rule, extra=extra),
        page_of_rows=page,
        chosen=wanted,
        may_decide=request.user.has_perm(DECIDE),
        **_counts(workers),
    )


def apply(admin: ModelAdmin, request: HttpRequest, study_pk: int) -> HttpResponse:
    """Say what it would do; by POST start the job that does it.

    Security: staff who may add decisions, of a study they research; others get 403 or 404.
    """
    user = require(request, SEE, DECIDE)
    study = find(request, Study, study_pk)
    foreseen = foresee(changes_of(study))
    if request.method != "POST":
        return _review(admin, request, study, foreseen)
    if request.POST.get("seen") != fingerprint(foreseen):
        return _review(admin, request, study, foreseen, status=409)
    job = tasks.wake(apply_standings(study=study, user=user))
    admin.log_change(request, study, _("Applied the standings"))
    messages.success(request, _("The standings are being applied."))
    return HttpResponseRedirect(reverse("admin:studies_job_change", args=[job.pk]), status=303)


def _review(
    admin: ModelAdmin, request: HttpRequest, study: Study, foreseen: Foreseen, status: int = 200
) -> HttpResponse:
    return admin.page(
        request,
        "admin/annotation/standing/apply.html",
        title=_("Apply the standings"),
        status=status,
        original=study,
        study=study,
        foreseen=foreseen,
        fingerprint=fingerprint(foreseen),
        has_changed=status == 409,
    )


def fingerprint(foreseen: Foreseen) -> str:
    """What the person has read, so that nothing else is done."""
    return "-".join(str(number) for number in vars(foreseen).values())


def _rule_of(study: Study) -> ProficiencyRule:
    plan = plan_of(study)
    return proficiency_rule(plan) if plan else ProficiencyRule()


def _counts(workers: list[WorkerStanding]) -> dict[str, Any]:
    standings = [worker.standing for worker in workers]
    return {
        "workers": len(workers),
        "kinds": [
            {"slug": one.value, "label": one.label, "count": standings.count(one)}
            for one in listed(standings)
        ],
        "missing": sum(worker.evidence.missing for worker in workers),
        "unwritten": sum(not worker.is_written for worker in workers),
    }
