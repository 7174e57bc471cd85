"""Everything that staff can do by a POST in the admin leaves one entry: who, what, which object.

Asked of every admin address and every action of every list, so that a new one is asked by itself.
"""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model
from django.test import Client
from pytest_django import Settings

from config.audit_words import action_words
from config.models import AuditEntry
from studies.models import Participant, Response
from tests.everywhere import (
    actions,
    evaluation_actions,
    release_actions,
    review_actions,
    run_actions,
    standing_actions,
)
from tests.everywhere.routes import all_routes
from tests.everywhere.states import Request
from tests.everywhere.visits import send
from tests.everywhere.world import World, make_world
from tests.studies.factories import make_stories, make_study

pytestmark = pytest.mark.django_db
GENERIC = ("changelist", "add", "change", "delete", "history")
# Pages that only show, whatever the method; and signing in and out, which have tests of their own.
ONLY_SHOW = {
    *("index", "search", "password_change_done", "autocomplete", "jsi18n", "view_on_site"),
    *("app_list", "", "login", "logout", "studies_job_live", "studies_round_live"),
    *("studies_round_hours", "studies_study_estimate"),
    *("studies_study_figures", "studies_study_figure_rows"),
    *review_actions.ONLY_SHOW,
    *standing_actions.ONLY_SHOW,
    *release_actions.ONLY_SHOW,
    *run_actions.ONLY_SHOW,
    *evaluation_actions.ONLY_SHOW,
}
# Actions that ask for more; the page that takes the answer is one of our own.
ASKS_FIRST = {("studies.response", "reject"), *release_actions.ASKS_FIRST}
# What cannot be done is said on these pages' own form, which leaves no entry.
REFUSE_ON_THE_FORM = {
    *("password_change", "auth_user_password_change", "studies_study_launch"),
    *("studies_story_import", "studies_story_import_checked"),
    *review_actions.REFUSE_ON_THE_FORM,
    *standing_actions.REFUSE_ON_THE_FORM,
    *release_actions.REFUSE_ON_THE_FORM,
    *run_actions.REFUSE_ON_THE_FORM,
    *evaluation_actions.REFUSE_ON_THE_FORM,
}


@pytest.fixture(autouse=True)
def nothing_leaves(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> None:
    """No job is run, and what is uploaded is gone afterwards."""
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr("studies.tasks.wake", lambda job: job)


@pytest.fixture
def world() -> World:
    return make_world("Quiet evenings")


@pytest.fixture
def client(world: World) -> Client:
    client = Client(headers={"x-request-id": "edge-0123"}, REMOTE_ADDR="192.0.2.7")
    client.force_login(world.staff)
    return client


def what_is_missing(client: Client, request: Request, name: str, *named: str) -> list[str]:
    """What the one entry of this request lacks; the request itself is taken back."""
    before, cookies = AuditEntry.objects.count(), deepcopy(client.cookies)
    with transaction.atomic():
        status = send(client, request).status_code
        entries = list(AuditEntry.objects.order_by("pk")[before:])
        transaction.set_rollback(True)
    client.cookies = cookies
    if len(entries) != 1:
        return [f"{name}: {len(entries)} entries ({status})"]
    entry = entries[0]
    who = (entry.origin, entry.actor, entry.address, entry.request_id)
    told = f"{entry.target} {entry.detail}"
    return [
        *([] if who == ("admin", "ines", "192.0.2.7", "edge-0123") else [f"{name}: by {who}"]),
        *([] if entry.action.startswith(name) else [f"{name}: {entry.action}"]),
        *([] if "_" not in action_words(entry.action) else [f"{name}: no words for it"]),
        *(f"{name}: “{word}” is not in {told}" for word in named if word not in told),
    ]


def models() -> list[type[Model]]:
    return sorted(admin.site._registry, key=lambda model: model._meta.label_lower)


def route_name(model: type[Model], kind: str) -> str:
    return f"{model._meta.app_label}_{model._meta.model_name}_{kind}"


def test_every_admin_address_is_one_of_these(world: World) -> None:
    """A new page of the admin is told apart here: it does something, or it only shows."""
    generic = {route_name(model, kind) for model in models() for kind in GENERIC}
    names = {route.name for route in all_routes() if route.is_admin}

    assert names - generic - ONLY_SHOW == set(actions.own_pages(world))


def test_every_button_and_form_of_our_own(world: World, client: Client) -> None:
    missing = [
        line
        for name, (request, named) in actions.own_pages(world).items()
        for line in what_is_missing(client, request, name, named)
    ]

    assert not missing, "\n".join(missing)


def test_a_button_that_could_do_nothing_says_so_in_its_entry(world: World, client: Client) -> None:
    assert set(actions.refused_buttons(world)) == set(actions.own_pages(world)) - REFUSE_ON_THE_FORM

    missing = [
        line
        for name, (request, words) in actions.refused_buttons(world).items()
        for line in what_is_missing(client, request, name, words, "answered:")
    ]

    assert not missing, "\n".join(missing)


def test_every_row_that_is_added(world: World, client: Client) -> None:
    cases = actions.additions(world)
    open_to_staff = [m for m in models() if actions.has_page(world, m, "add", None)]
    assert {model._meta.label_lower for model in open_to_staff} == set(cases)

    missing = [
        line
        for model in open_to_staff
        for request, named in [cases[model._meta.label_lower]]
        for line in what_is_missing(client, request, route_name(model, "add"), named)
    ]

    assert not missing, "\n".join(missing)


def test_every_row_that_is_changed(world: World, client: Client) -> None:
    rows = {model: actions.rows_of(world, model)[0] for model in models()}
    open_to_staff = [m for m in models() if actions.has_page(world, m, "change", rows[m])]
    assert len(open_to_staff) > 5

    missing = [
        line
        for model in open_to_staff
        for request in [actions.change_of(client, model, rows[model].pk)]
        for line in what_is_missing(
            client, request, route_name(model, "change"), f" {rows[model].pk} ", str(rows[model])
        )
    ]

    assert not missing, "\n".join(missing)


def test_every_row_that_is_deleted(world: World, client: Client) -> None:
    """Of what may be deleted at all; rows that others rest on are refused by a page, not done."""
    deletable: dict[str, Any] = {
        "auth.user": User.objects.create_user("omar"),
        "studies.study": make_study(title="A passing thought"),
    }
    done = 0
    missing = []
    for model in models():
        row = deletable.get(model._meta.label_lower) or actions.rows_of(world, model)[0]
        row = actions.rows_of(world, model).get(pk=row.pk)
        if not actions.has_page(world, model, "delete", row):
            continue
        name = route_name(model, "delete")
        request = actions.post(name, row.pk, post="yes")
        shown = client.get(request.address)
        if not shown.context["protected"]:
            done += 1
            missing += what_is_missing(client, request, name, f" {row.pk} ", str(row))

    assert done >= 4
    assert not missing, "\n".join(missing)


def test_every_action_of_every_list(world: World, client: Client) -> None:
    asked = actions.request_of(world.staff)
    prepared: dict[tuple[str, str], Callable[[], Any]] = {
        ("studies.response", "approve"): lambda: actions.decidable(world),
        ("studies.participant", "take_away"): lambda: _qualified(world),
        ("auth.user", "delete_selected"): lambda: User.objects.create_user("omar"),
        ("studies.study", "delete_selected"): lambda: make_study(title="A passing thought"),
    }
    missing, done = [], 0
    for model in models():
        for action in admin.site._registry[model].get_actions(asked):
            key = (model._meta.label_lower, action)
            row = prepared.get(key, lambda model=model: actions.rows_of(world, model)[0])()
            if key in ASKS_FIRST or _is_protected(client, model, action, row):
                continue
            done += 1
            name = f"{route_name(model, 'changelist')} {action}"
            request = actions.action_of(model, action, row.pk)
            missing += what_is_missing(client, request, name, str(row.pk))

    assert done >= 12
    assert not missing, "\n".join(missing)


def _qualified(world: World) -> Participant:
    participant = actions.undecided_participant(world)
    participant.qualified_at = participant.created_at
    participant.save()
    return participant


def _is_protected(client: Client, model: type[Model], action: str, row: Any) -> bool:
    if action != "delete_selected":
        return False
    request = actions.action_of(model, action, row.pk)
    page = client.post(request.address, {**request.data, "post": ""})
    return bool(page.context["protected"])


def test_an_action_on_more_rows_than_the_column_holds_names_them_all(
    world: World, client: Client
) -> None:
    stories = make_stories(make_study(), 200)
    chosen = [str(story.pk + 10_000_000) for story in stories]

    client.post("/admin/studies/response/approve/", {"_selected_action": chosen})

    entry = AuditEntry.objects.latest("pk")
    assert all(pk in str(entry.detail) for pk in chosen)


def test_an_action_on_all_that_a_filter_shows_names_the_filter(
    world: World, client: Client
) -> None:
    one = str(Response.objects.latest("pk").pk)

    client.post(
        "/admin/studies/response/?state__exact=confirmed&q=story-9",
        {"action": "approve", "_selected_action": one, "select_across": "1"},
    )

    entry = AuditEntry.objects.latest("pk")
    assert "state__exact=confirmed&q=story-9" in str(entry.detail)
