"""Everything that staff can do in the admin: a request that does it, and what it is done to."""

import json
from collections.abc import Callable
from itertools import chain
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model
from django.forms import BoundField
from django.test import Client, RequestFactory
from django.urls import reverse

from marketplace.models import Requester
from studies.models import (
    Job,
    JobState,
    Participant,
    Payment,
    PaymentState,
    Response,
    ResponseState,
    Round,
    Story,
)
from tests.everywhere import (
    evaluation_actions,
    release_actions,
    review_actions,
    run_actions,
    standing_actions,
)
from tests.everywhere.states import Request
from tests.everywhere.world import World
from tests.studies.factories import make_round, make_stories, make_study
from tests.studies_admin.responses import make_response

PASSWORD = "a lantern on the pier"
PLAN = {
    "task_type": "state_annotation",
    "overlap": "1",
    "limit": "1",
    "reward_usd": "0.35",
    "time_limit": "30m",
    "lifetime": "7d",
    "auto_approval_delay": "3d",
    "eligibility": "open",
    "seed": "7",
    "launch_key": "9b2f6f2e-0a44-4b6e-9a3c-6f1f5d1f7a11",
}
# The request, and what the entry has to name.
Case = tuple[Request, str]


def post(name: str, /, *args: Any, **data: Any) -> Request:
    return Request(reverse(f"admin:{name}", args=args), "POST", data)


# --- Buttons and forms of our own pages ----------------------------------------------------------
def own_pages(world: World) -> dict[str, Case]:
    """By the name of the route."""
    return {
        **_accounts(world),
        **_rounds(world),
        **_stories(world),
        **_decisions(world),
        **review_actions.own_pages(world),
        **standing_actions.own_pages(world.study),
        **release_actions.own_pages(world.study),
        **run_actions.own_pages(world.study),
        **evaluation_actions.own_pages(world.study),
    }


def _accounts(world: World) -> dict[str, Case]:
    new = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    others = {"usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    other = world.worker.user_id
    return {
        # Who is the object, too.
        "password_change": (post("password_change", old_password="a lantern", **new), ""),
        "auth_user_password_change": (post("auth_user_password_change", other, **others), "ada"),
    }


def _rounds(world: World) -> dict[str, Case]:
    round, study = world.round, world.study
    paused = Round.objects.get(state="paused")
    wanted = sum(round.tasks.values_list("overlap", flat=True))
    more = {"overlap": "1", "stories": "0", "seen_wanted": str(wanted)}
    capped = {"worker_cap": "3", "seen": str(round.worker_cap or 0)}
    return {
        "studies_round_pause": (post("studies_round_pause", round.pk), str(round)),
        "studies_round_resume": (post("studies_round_resume", paused.pk), str(paused)),
        "studies_round_close": (post("studies_round_close", round.pk), str(round)),
        "studies_round_extend": (post("studies_round_extend", round.pk, **more), str(round)),
        "studies_round_limit": (post("studies_round_limit", round.pk, **capped), str(round)),
        "studies_study_launch": (post("studies_study_launch", study.pk, **PLAN), str(study)),
    }


def _stories(world: World) -> dict[str, Case]:
    unused = unused_story(world)
    seen = json.dumps(unused.sentences)
    place = {"sentence": "1", "offset": "4", "seen": seen}
    checked = Job.objects.get(kind="import_stories", state=JobState.DONE)
    running = Job.objects.get(state=JobState.RUNNING)
    upload = SimpleUploadedFile("many.csv", b"story_id,title,line1\n")
    given = {"study": world.study.pk, "file": upload, "format": "auto"}
    return {
        "studies_story_import": (post("studies_story_import", **given), "many.csv"),
        "studies_story_import_checked": (
            post("studies_story_import_checked", checked.pk),
            checked.payload["name"],
        ),
        "studies_story_split": (post("studies_story_split", unused.pk, **place), str(unused)),
        "studies_story_merge": (
            post("studies_story_merge", unused.pk, sentence="1", seen=seen),
            str(unused),
        ),
        "studies_job_cancel": (post("studies_job_cancel", running.pk), str(running)),
    }


def _decisions(world: World) -> dict[str, Case]:
    pk = str(make_response(world.round).pk)
    rejected = Payment.objects.get(kind="reject", state=PaymentState.CONFIRMED).assignment.response
    return {
        "studies_approve_after_all": (
            post("studies_approve_after_all", rejected.pk),
            f"{rejected.pk} ",
        ),
        "studies_approve": (post("studies_approve", _selected_action=pk), pk),
        "studies_reject": (post("studies_reject", _selected_action=pk, reason="Empty."), pk),
    }


def unused_story(world: World) -> Story:
    study = make_study(title="Another study")
    return make_stories(study)[0]


# --- The same buttons where there is nothing they can do -----------------------------------------
def refused_buttons(world: World) -> dict[str, Case]:
    """By the name of the route; what the person was told is in the entry."""
    open_round, closed = world.round, Round.objects.get(state="closed")
    story = Story.objects.filter(tasks__isnull=False).first() or Story()
    seen = json.dumps(story.sentences)
    stale = {"overlap": "1", "stories": "0", "seen_wanted": "1"}
    undecidable = Response.objects.filter(state=ResponseState.UNCONFIRMED)[0]
    ended = Job.objects.get(state=JobState.FAILED)
    return {
        "studies_round_pause": (post("studies_round_pause", closed.pk), "closed"),
        "studies_round_resume": (post("studies_round_resume", open_round.pk), "open"),
        "studies_round_close": (post("studies_round_close", closed.pk), "closed"),
        "studies_round_extend": (
            post("studies_round_extend", open_round.pk, **stale),
            "extended since",
        ),
        "studies_round_limit": (
            post("studies_round_limit", open_round.pk, worker_cap="3", seen="stale"),
            "changed since",
        ),
        "studies_story_split": (
            post("studies_story_split", story.pk, sentence="1", offset="4", seen=seen),
            "round",
        ),
        "studies_story_merge": (
            post("studies_story_merge", story.pk, sentence="1", seen=seen),
            "round",
        ),
        "studies_job_cancel": (post("studies_job_cancel", ended.pk), "had ended"),
        "studies_approve": (post("studies_approve", _selected_action=undecidable.pk), "left as"),
        "studies_approve_after_all": (
            post("studies_approve_after_all", undecidable.pk),
            "left as",
        ),
        "studies_reject": (
            post("studies_reject", _selected_action=undecidable.pk, reason="Empty."),
            "left as",
        ),
        **review_actions.refused_buttons(world),
        **release_actions.refused_buttons(world.study),
        **run_actions.refused_buttons(world.study),
        **evaluation_actions.refused_buttons(world.study),
    }


# --- Django's own pages of a model ---------------------------------------------------------------
def additions(world: World) -> dict[str, Case]:
    """By the label of the model."""
    user = {"username": "omar", "usable_password": "true", "password1": PASSWORD}
    requester = Requester.objects.all()[0]
    worker = {"display_name": "Kim", "approved_before": "0", "rejected_before": "0"}
    credit = {"requester": requester.pk, "amount_usd": "5", "note": "a grant"}
    return {
        "auth.user": (post("auth_user_add", **user, password2=PASSWORD), "omar"),
        "auth.group": (post("auth_group_add", name="Readers"), "Readers"),
        "annotation.reviewplan": (
            post("annotation_reviewplan_add", study=make_study(title="A plan to come").pk),
            "A plan to come",
        ),
        "config.apitoken": (post("config_apitoken_add", label="Notebook"), "Notebook"),
        "studies.study": (post("studies_study_add", slug="moods", title="Moods"), "Moods"),
        "marketplace.requester": (
            post("marketplace_requester_add", name="Lab", signing_secret="x" * 40),
            "Lab",
        ),
        "marketplace.invitation": (post("marketplace_invitation_add", label="Friends"), "Friends"),
        "marketplace.worker": (post("marketplace_worker_add", **worker), "Kim"),
        "marketplace.ledgerentry": (post("marketplace_ledgerentry_add", **credit), "entry"),
    }


def change_of(client: Client, model: type[Model], pk: Any) -> Request:
    """The form as it stands on the page, with the rows that belong to it, sent back."""
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[pk])
    context = client.get(address).context
    rows = [inline.formset for inline in context["inline_admin_formsets"]]
    forms = [context["adminform"].form, *(row.management_form for row in rows), *chain(*rows)]
    data: dict[str, Any] = {}
    for box in (box for form in forms for bound in form for box in _boxes(bound)):
        if box["value"] not in (None, "", []) and box["value"] is not False:
            data[box["name"]] = box["value"]
    return Request(address, "POST", data)


def _boxes(bound: BoundField) -> list[dict[str, Any]]:
    """One, or those of a widget that has several, such as day and time."""
    drawn: Any = getattr(bound.field.widget, "widget", bound.field.widget)
    widget = drawn.get_context(bound.html_name, bound.value(), {})["widget"]
    return widget.get("subwidgets") or [{"name": bound.html_name, "value": bound.value()}]


def has_page(world: World, model: type[Model], kind: str, row: Any) -> bool:
    asked: Callable[..., bool] = getattr(admin.site._registry[model], f"has_{kind}_permission")
    request = request_of(world.staff)
    return asked(request) if kind == "add" else asked(request, row)


def request_of(user: User) -> Any:
    request = RequestFactory().get("/admin/")
    request.user = user
    return request


def rows_of(world: World, model: type[Model]) -> Any:
    return admin.site._registry[model].get_queryset(request_of(world.staff))


def decidable(world: World) -> Response:
    return make_response(make_round(world.study, overlap=1))


def action_of(model: type[Model], action: str, pk: Any) -> Request:
    name = f"{model._meta.app_label}_{model._meta.model_name}_changelist"
    return post(name, action=action, _selected_action=str(pk), post="yes")


def undecided_participant(world: World) -> Participant:
    return Participant.objects.filter(qualified_at__isnull=True)[0]
