"""The admin's look and side menu: the places a researcher goes, in the order of a study."""

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

# The interface is ink on paper: see static/css/tokens.css. Unfold takes scales from 50 to 950.
PAPER = {
    "50": "oklch(98.2% .006 90)",
    "100": "oklch(96% .008 88)",
    "200": "oklch(90.5% .012 86)",
    "300": "oklch(85% .013 85)",
    "400": "oklch(69% .013 84)",
    "500": "oklch(53% .012 83)",
    "600": "oklch(44% .011 82)",
    "700": "oklch(36.5% .01 80)",
    "800": "oklch(27.5% .008 78)",
    "900": "oklch(20.5% .006 75)",
    "950": "oklch(15% .005 75)",
}
INK = {
    "50": "oklch(97.5% .01 295)",
    "100": "oklch(94.5% .018 295)",
    "200": "oklch(88% .04 295)",
    "300": "oklch(80% .065 294)",
    "400": "oklch(73% .085 293)",
    "500": "oklch(64% .11 292)",
    "600": "oklch(41% .09 291)",
    "700": "oklch(35% .08 291)",
    "800": "oklch(30% .07 291)",
    "900": "oklch(25% .06 291)",
    "950": "oklch(19% .05 291)",
}


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


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    groups = [
        _group(
            _("Research"),
            (_("Studies"), "science", "studies.study"),
            (_("Stories"), "menu_book", "studies.story"),
            (_("Rounds"), "autorenew", "studies.round"),
            (_("Responses"), "rate_review", "studies.response"),
            (_("Participants"), "groups", "studies.participant"),
            (_("Payments"), "payments", "studies.payment"),
            (_("Jobs"), "manufacturing", "studies.job"),
        ),
        _group(
            _("Marketplace"),
            (_("Requesters"), "key", "marketplace.requester"),
            (_("Invitations"), "mail", "marketplace.invitation"),
            (_("Workers"), "badge", "marketplace.worker"),
        ),
        _group(_("People"), (_("Accounts"), "person", "auth.user")),
    ]
    seen = [group for group in groups if any(i["permission"](request) for i in group["items"])]
    if seen:
        seen[0]["separator"] = False
    return seen
