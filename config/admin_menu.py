"""The admin's side menu: the places a researcher goes, in the order of a study."""

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _


def _may_see(model: str) -> Callable[[HttpRequest], bool]:
    app, _dot, name = model.partition(".")

    def may_see(request: HttpRequest) -> bool:
        user = request.user
        return user.has_perm(f"{app}.view_{name}") or user.has_perm(f"{app}.change_{name}")

    return may_see


def _group(title: Any, *items: tuple[Any, str, str]) -> dict[str, Any]:
    return {
        "title": title,
        "separator": True,
        "items": [
            {
                "title": name,
                "icon": icon,
                "link": reverse_lazy(f"admin:{model.replace('.', '_')}_changelist"),
                "permission": _may_see(model),
            }
            for name, icon, model in items
            if admin.site.is_registered(apps.get_model(model))
        ],
    }


def _review() -> dict[str, Any]:
    """The way of an expert, whom nothing else in here is for."""
    return {
        "title": _("Experts"),
        "separator": True,
        "items": [
            {
                "title": _("Review"),
                "icon": "fact_check",
                "link": reverse_lazy("admin:annotation_review"),
                "permission": lambda request: request.user.has_perm("annotation.add_verdict"),
            }
        ],
    }


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    groups = [
        _review(),
        _group(
            _("Research"),
            (_("Studies"), "science", "studies.study"),
            (_("Stories"), "menu_book", "studies.story"),
            (_("Rounds"), "autorenew", "studies.round"),
            (_("Responses"), "rate_review", "studies.response"),
            (_("Review plans"), "rule", "annotation.reviewplan"),
            (_("Participants"), "groups", "studies.participant"),
            (_("Decisions"), "verified", "annotation.decision"),
            (_("Releases"), "inventory_2", "annotation.release"),
            (_("Model runs"), "model_training", "modeling.run"),
            (_("Generations"), "output", "modeling.generation"),
            (_("Instruments"), "tune", "evaluation.instrument"),
            (_("Evaluation rounds"), "reviews", "evaluation.ratinground"),
            (_("Result files"), "upload_file", "evaluation.resultfile"),
            (_("Rated items"), "category", "evaluation.item"),
            (_("Ratings"), "thumbs_up_down", "evaluation.rating"),
            (_("Payments"), "payments", "studies.payment"),
            (_("Jobs"), "manufacturing", "studies.job"),
        ),
        _group(
            _("Marketplace"),
            (_("Requesters"), "key", "marketplace.requester"),
            (_("Invitations"), "mail", "marketplace.invitation"),
            (_("Workers"), "badge", "marketplace.worker"),
        ),
        _group(
            _("People"),
            (_("Accounts"), "person", "auth.user"),
            (_("API tokens"), "vpn_key", "config.apitoken"),
            (_("Audit log"), "history", "config.auditentry"),
        ),
    ]
    seen = [group for group in groups if any(i["permission"](request) for i in group["items"])]
    if seen:
        seen[0]["separator"] = False
    return seen
