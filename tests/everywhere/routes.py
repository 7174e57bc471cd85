"""Every address there is: the URL patterns as they stand, with arguments from a world."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.core import signing
from django.urls import URLPattern, URLResolver, get_resolver

from annotation.models import Turn
from marketplace.models import Invitation
from marketplace.site.links import personal_link
from studies.models import Contribution, Round
from tests.everywhere import evaluation_actions, review_actions
from tests.everywhere.world import World

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
MOST_OF_A_KIND = 6
# Django's own pages are the same for every row of a model.
ONE_OF_A_KIND = re.compile(r"(/history/|/delete/|<path:object_id>/)$")
# Patterns that are regular expressions, and addresses that fit them.
SPELLED = {
    r"admin/^(?P<app_label>studies|auth|config|marketplace|annotation|modeling|evaluation)/$": [
        "admin/studies/"
    ],
    r"admin/(?P<url>.*)$": ["admin/nothing-of-this-name"],
}
# Answered by the middleware, and by what serves files, before any pattern is looked at.
OUTSIDE_THE_PATTERNS = [
    "healthz",
    "readyz",
    "metrics",
    "static/css/tokens.css",
    "nothing-of-this-name",
]


@dataclass(frozen=True)
class Route:
    pattern: str
    name: str

    @property
    def is_admin(self) -> bool:
        return self.pattern.startswith("admin/")

    @property
    def is_framed(self) -> bool:
        return self.pattern.startswith("task/") or self.name == "external-submit"

    @property
    def model(self) -> Any:
        """The model whose admin page it is, if it is one."""
        app, _, rest = self.pattern.removeprefix("admin/").partition("/")
        found = [m for m in admin.site._registry if m._meta.app_label == app]
        return next((m for m in found if m._meta.model_name == rest.partition("/")[0]), None)


def all_routes() -> list[Route]:
    found = list(_walk(get_resolver().url_patterns))
    return [*found, *(Route(path, "") for path in OUTSIDE_THE_PATTERNS)]


def _walk(patterns: Any, before: str = "") -> Iterator[Route]:
    for entry in patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _walk(entry.url_patterns, route)
        elif isinstance(entry, URLPattern):
            yield Route(route, entry.name or "")


def addresses(route: Route, world: World) -> list[str]:
    """Paths that lead to the route. A parameter nobody knows is an error: give it a value here."""
    if route.pattern in SPELLED:
        return [f"/{path}" for path in SPELLED[route.pattern]]
    names = PARAMETER.findall(route.pattern)
    choices = [_values(route, name, world) for name in names]
    return [f"/{_filled(route.pattern, values)}" for values in product(*choices)]


def _filled(pattern: str, values: tuple[str, ...]) -> str:
    rest = iter(values)
    return PARAMETER.sub(lambda _: next(rest), pattern)


def _values(route: Route, name: str, world: World) -> list[str]:
    if name == "object_id" and route.model is not None:
        one = ONE_OF_A_KIND.search(route.pattern)
        return objects_of(route.model)[: 1 if one else MOST_OF_A_KIND]
    if name == "token":
        return _tokens(route, world)
    return VALUES[name](world)


def _before(world: World) -> list[str]:
    """The turns that lie before the one who looks."""
    open_ones = Turn.objects.filter(reviewer=world.staff, done_at=None).order_by("-pk")
    return [str(pk) for pk in open_ones.values_list("pk", flat=True)[:2]]


def objects_of(model: Any) -> list[str]:
    """Primary keys, the newest first. A world holds one of every model that has an admin page."""
    keys = model._default_manager.order_by("-pk").values_list("pk", flat=True)[:MOST_OF_A_KIND]
    return [str(key) for key in keys]


def _pseudonyms(world: World) -> list[str]:
    participants = world.study.participants.order_by("pk")
    return list(participants.values_list("pseudonym", flat=True)[:1])


def _assignments(world: World) -> list[str]:
    return list(world.worker.assignments.values_list("assignment_id", flat=True))


def _tokens(route: Route, world: World) -> list[str]:
    if route.name == "worker-join":
        return [*Invitation.objects.values_list("token", flat=True), "unknown"]
    link = personal_link(world.worker).rstrip("/").rpartition("/")[2]
    return [link, signing.dumps("of another kind")]


# Asked for what a route needs, and no more.
VALUES: dict[str, Callable[[World], list[str]]] = {
    "object_id": lambda _: ["1"],
    "content_type_id": lambda _: ["1"],
    "id": lambda world: [str(world.staff.pk)],
    "study_pk": lambda world: [str(world.study.pk)],
    "turn_pk": lambda world: [*_before(world), *objects_of(Turn)],
    "turn": lambda world: [*_before(world)[:1], *objects_of(Turn)[:1]],
    "task_type": lambda _: ["state_annotation"],
    "contribution_pk": lambda _: objects_of(Contribution)[:2],
    "key": lambda world: [review_actions.disputed_key(world), "unknown"],
    "study": lambda world: [world.study.slug],
    "slug": lambda _: ["submissions", "hourly-pay", "unknown"],
    "number": lambda _: ["1"],
    "job": lambda _: objects_of(apps.get_model("studies.Job"))[:1],
    "response_id": lambda _: objects_of(apps.get_model("studies.Response"))[:1],
    "name": lambda _: ["v1"],
    "generation_pk": lambda _: objects_of(apps.get_model("modeling.Generation"))[:1],
    "rating": lambda _: objects_of(apps.get_model("evaluation.Rating"))[:1],
    "instrument": lambda _: ["pairwise", "pairwise@1", "unknown"],
    "result_file": lambda _: objects_of(apps.get_model("evaluation.ResultFile"))[:1],
    "run": lambda _: objects_of(apps.get_model("modeling.Run"))[:2],
    "report": lambda _: ["likert", "agreement", "models", "unknown"],
    "kept": lambda world: [evaluation_actions.kept_results(world.study), "unknown"],
    "planned": lambda world: [evaluation_actions.planned(world.study), "unknown"],
    "participant": _pseudonyms,
    "job_id": lambda _: objects_of(apps.get_model("studies.Job"))[:2],
    "group_id": lambda world: [world.hit_type.group_id, "UNKNOWN"],
    "assignment_id": lambda world: [*_assignments(world), "UNKNOWN"],
    "public_id": lambda world: [str(Round.objects.get(pk=world.round.pk).public_id)],
}
