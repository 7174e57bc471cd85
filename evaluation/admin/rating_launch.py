"""Launching a round of ratings: the form, a page to review it with its cost, and the launch."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from evaluation.admin.rating_launch_form import RatingLaunchForm
from evaluation.services.rating_rounds import RatingPlan, launch_ratings
from studies import tasks
from studies.admin.base import ModelAdmin, find, require
from studies.admin.forms import EXPLANATIONS
from studies.admin.launch import ABOVE_BUDGET, PERMISSIONS, costs_of, to_round, unconfirmed
from studies.admin.round_page import times_of
from studies.jobs import JobFailure
from studies.models import Study
from studies.services.kept_files import CannotKeep, keep_file, open_kept
from studies.services.plans import AboveBudget, RoundRefused
from studies.services.rounds import AlreadyLaunched

SALT = "evaluation.launch"
FOLDER = "rating_items"
FILES = ("items", "gold")
CONFIRMED = ("above_budget", "unpaid")
Opened = Mapping[str, tuple[str, BinaryIO]]


def ask(admin: ModelAdmin, request: HttpRequest, study_pk: int) -> HttpResponse:
    """The form, empty or `from` a launch that was being reviewed; by POST it is checked and its
    review shown.

    Security: staff who may see studies and add rounds, of a study they research; others get 403 or
    404.
    """
    require(request, *PERMISSIONS)
    study = find(request, Study, study_pk)
    kept = _kept(request.POST.get("kept") or request.GET.get("from"), study)
    if request.method != "POST":
        given = QueryDict(kept["query"]) if kept else None
        return _form_page(admin, request, RatingLaunchForm(given, study=study), kept)
    form = RatingLaunchForm(request.POST, request.FILES, study=study)
    files = dict((kept or {}).get("files", {}))
    try:
        with _opened(request, files) as opened:
            plan = form.plan(opened)
        if plan is not None:
            kept_files = _keep(request, files)
            named = ", ".join(file["name"] for file in kept_files.values()) or "–"
            admin.log_change(request, study, _("Upload of %(file)s") % {"file": named})
            return _to_review(request, study, kept_files)
    except (CannotKeep, JobFailure) as refusal:
        form.add_error(None, str(refusal))
    return _form_page(admin, request, form, kept, status=422)


def review(admin: ModelAdmin, request: HttpRequest, planned: str) -> HttpResponse:
    """What a launch would do and cost; by POST the launch itself.

    Security: as `ask`. An address that we have not made is 404. Sending a launch again leads to the
    round that it made.
    """
    require(request, *PERMISSIONS)
    kept = _kept(planned, None)
    if kept is None:
        raise Http404
    study = find(request, Study, kept["study"])
    given = QueryDict(kept["query"], mutable=True)
    # Boxes of this page, which the form does not have.
    given.update({name: "on" for name in CONFIRMED if name in request.POST})
    form = RatingLaunchForm(given, study=study)
    try:
        with _opened(None, kept["files"]) as opened:
            plan = form.plan(opened)
    except JobFailure as gone:
        form.is_valid()
        form.add_error(None, str(gone))
        plan = None
    if plan is None:
        return _form_page(admin, request, form, None, status=422)
    if request.method == "POST":
        return _launch(admin, request, form, plan, planned)
    return _review_page(admin, request, plan, planned)


def _launch(
    admin: ModelAdmin, request: HttpRequest, form: RatingLaunchForm, plan: RatingPlan, planned: str
) -> HttpResponse:
    if error := unconfirmed(costs_of(plan.plan, None), request.POST):
        return _review_page(admin, request, plan, planned, status=422, error=error)
    try:
        round, job = launch_ratings(
            plan=plan, user=request.user, launch_key=form.cleaned_data["launch_key"]
        )
    except AlreadyLaunched as already:
        messages.warning(request, _("You launched this round already: here it is."))
        return to_round(already.round)
    except AboveBudget:
        return _review_page(admin, request, plan, planned, status=422, error=str(ABOVE_BUDGET))
    except RoundRefused as refusal:
        return _review_page(admin, request, plan, planned, status=422, error=str(refusal))
    tasks.wake(job)
    admin.log_change(
        request, plan.plan.study, _("Launched round %(number)s") % {"number": round.number}
    )
    messages.success(request, _("The round is launched. Its slots are being published."))
    return to_round(round)


def _form_page(
    admin: ModelAdmin,
    request: HttpRequest,
    form: RatingLaunchForm,
    kept: dict[str, Any] | None,
    status: int = 200,
) -> HttpResponse:
    files = (kept or {}).get("files", {})
    return admin.page(
        request,
        "admin/evaluation/rating_round/launch.html",
        title=_("Launch an evaluation round"),
        status=status,
        original=form.study,
        study=form.study,
        form=form,
        kept=signed(kept) if files and kept else "",
        kept_names=[file["name"] for file in files.values()],
    )


def _review_page(
    admin: ModelAdmin,
    request: HttpRequest,
    plan: RatingPlan,
    planned: str,
    *,
    status: int = 200,
    error: str = "",
) -> HttpResponse:
    return admin.page(
        request,
        "admin/evaluation/rating_round/review.html",
        title=_("Review the round"),
        status=status,
        original=plan.plan.study,
        study=plan.plan.study,
        rating=plan,
        planned=planned,
        error=error,
        eligibility=EXPLANATIONS[plan.plan.eligibility],
        times=times_of(plan.plan),
        **costs_of(plan.plan, None),
    )


def _to_review(request: HttpRequest, study: Study, files: dict[str, Any]) -> HttpResponse:
    query = request.POST.copy()
    for name in ("csrfmiddlewaretoken", "kept", *CONFIRMED):
        query.pop(name, None)
    kept = {"study": study.pk, "query": query.urlencode(), "files": files}
    address = reverse("admin:evaluation_launch_review", args=[signed(kept)])
    return HttpResponseRedirect(address, status=303)


def _keep(request: HttpRequest, files: dict[str, Any]) -> dict[str, Any]:
    """The files that were sent now, and those of before that none took the place of."""
    sent = {name: request.FILES[name] for name in FILES if name in request.FILES}
    for file in sent.values():
        file.seek(0)  # type: ignore[union-attr]
    kept = {
        name: keep_file(file=file, folder=FOLDER, unnamed=_("outputs"))  # type: ignore[arg-type]
        for name, file in sent.items()
    }
    return files | kept


@contextmanager
def _opened(request: HttpRequest | None, files: Mapping[str, Any]) -> Iterator[Opened]:
    """By field, with the name each was sent under. Raises JobFailure where one is gone."""
    with ExitStack() as stack:
        opened: dict[str, Any] = {}
        for name, kept in files.items():
            if request is None or name not in request.FILES:
                opened[name] = (kept["name"], stack.enter_context(open_kept(kept)))
        for name in FILES if request is not None else ():
            if request is not None and name in request.FILES:
                file: Any = request.FILES[name]
                opened[name] = (file.name, file)
        yield opened


def signed(kept: Mapping[str, Any]) -> str:
    return signing.dumps(dict(kept), salt=SALT, compress=True)


def _kept(text: str | None, study: Study | None) -> dict[str, Any] | None:
    """What we signed before, of this study. Raises Http404 for anything else."""
    if not text:
        return None
    try:
        kept: dict[str, Any] = signing.loads(text, salt=SALT)
    except signing.BadSignature as error:
        raise Http404 from error
    if study is not None and kept["study"] != study.pk:
        raise Http404
    return kept
