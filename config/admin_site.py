from functools import partial
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from unfold.sites import UnfoldAdminSite


class AdminSite(UnfoldAdminSite):  # type: ignore[misc]
    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> Any:
        """Made where it is looked at: every page is given it, and only the first shows it."""
        return SimpleLazyObject(partial(super().get_app_list, request, app_label))
