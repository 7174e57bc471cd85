"""A researcher of another study goes everywhere in the admin and finds nothing of this one."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db.models import Model
from django.test import Client
from django.urls import NoReverseMatch

from studies.access import is_of_a_study, path_to_study
from studies.models import Participant
from tests.everywhere import actions
from tests.everywhere.rated import declared
from tests.everywhere.routes import MOST_OF_A_KIND, PARAMETER, Route, addresses, all_routes
from tests.everywhere.states import Request, requests_of
from tests.everywhere.visits import send
from tests.everywhere.world import World, make_world
from tests.studies.factories import make_round, make_study
from tests.studies.members import make_member
from tests.studies_admin.responses import make_response

MARK = "a kestrel over the quarry"
OURS = ["studies", "annotation", "evaluation"]
# One for all studies.
SHARED = {"Instrument"}
NAMED_BY = {
    "job_id": "studies.Job",
    "study_pk": "studies.Study",
    "turn_pk": "annotation.Turn",
    "contribution_pk": "studies.Contribution",
}


@pytest.fixture
def stranger(db: None) -> Client:
    """A researcher of another study, with every permission over research there is."""
    round = make_round(make_study(title="Elsewhere"))
    make_response(round)
    user = make_member(round.study)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label__in=OURS))
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


@pytest.fixture
def world(stranger: Client, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr("studies.mturk.grant_qualification", lambda *ids: None)
    monkeypatch.setattr("tests.everywhere.rated.declared", lambda text: declared("For all"))
    return make_world(MARK)


def test_every_admin_page_of_ours_knows_whose_study_its_rows_are() -> None:
    unlimited = [
        model.__name__
        for model in admin.site._registry
        if model._meta.app_label in OURS and not is_of_a_study(model)
    ]

    assert set(unlimited) == SHARED


def test_no_page_of_a_row_is_found(world: World, stranger: Client) -> None:
    asked = list(_pages_of_rows(world))
    answers = {str(request): send(stranger, request).status_code for request in asked}

    assert len(asked) > 50
    # A page that takes POST alone says so before it looks for the row.
    allowed = {"GET": {404, 405}, "POST": {404}}
    shown = [r for r in asked if answers[str(r)] not in allowed[r.method]]
    assert not [(r.method, r.address, answers[str(r)]) for r in shown]


def test_nothing_of_the_study_is_shown_or_changed_anywhere(world: World, stranger: Client) -> None:
    asked = list(_everything(world))
    workers = Participant.objects.filter(study=world.study).values_list("pseudonym", flat=True)
    secrets = [MARK, *workers]
    before = _rows_of(world)

    for request in asked:
        answer = send(stranger, request)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        text = body.decode() + answer.headers.get("Location", "")
        assert answer.status_code < 500, request
        # What a stranger typed stands in their own form again.
        told = [secret for secret in secrets if secret not in request.data.values()]
        assert not [secret for secret in told if secret in text], request

    assert _rows_of(world) == before


def _pages_of_rows(world: World) -> Iterator[Request]:
    for route in _routes():
        model = _model_of(route)
        names = PARAMETER.findall(route.pattern)
        leads_on = route.pattern.endswith("/<path:object_id>/")
        if model is None or len(names) != 1 or leads_on:
            continue
        for pk in _keys(model, world)[:MOST_OF_A_KIND]:
            address = f"/{PARAMETER.sub(str(pk), route.pattern)}"
            yield Request(address)
            yield Request(address, "POST")


def _everything(world: World) -> Iterator[Request]:
    for route in _routes():
        for address in addresses(route, world):
            yield Request(address)
            yield Request(address, "POST")
        yield from requests_of(route.name, world, route.model)
    for name, (request, _named) in actions.own_pages(world).items():
        if name.startswith(tuple(f"{app}_" for app in OURS)):
            yield request
    for model, actor in admin.site._registry.items():
        if model._meta.app_label in OURS:
            yield from _chosen_in_lists(model, actor, world)


def _chosen_in_lists(model: type[Model], actor: Any, world: World) -> Iterator[Request]:
    for pk in _keys(model, world)[:1]:
        for action in [*(actor.actions or []), "delete_selected"]:
            # What has pages of its own instead of a list has no actions on one.
            with suppress(NoReverseMatch):
                yield actions.action_of(model, action, pk)


def _routes() -> list[Route]:
    return [route for route in all_routes() if route.is_admin and "/logout" not in route.pattern]


def _model_of(route: Route) -> type[Model] | None:
    """The model whose row the one parameter of the address names."""
    (name, *_more) = PARAMETER.findall(route.pattern) or [""]
    if name in NAMED_BY:
        return apps.get_model(NAMED_BY[name])
    found: type[Model] | None = route.model
    return found if found is not None and found._meta.app_label in OURS else None


def _keys(model: type[Model], world: World) -> list[Any]:
    if not is_of_a_study(model):
        return []
    rows = model._default_manager.filter(**{path_to_study(model): world.study.pk})
    return list(rows.order_by("pk").values_list("pk", flat=True))


def _rows_of(world: World) -> dict[str, list[Any]]:
    models = [m for app in OURS for m in apps.get_app_config(app).get_models() if is_of_a_study(m)]
    return {
        model.__name__: list(
            model._default_manager.filter(**{path_to_study(model): world.study.pk})
            .order_by("pk")
            .values()
        )
        for model in models
    }
