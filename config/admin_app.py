from typing import Any

from django.contrib import admin
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class AdminConfig(SimpleAdminConfig):
    """The admin, whose pages are loaded by `config.urls`: commands and jobs have no use for them,
    and loading them takes as long as all else that a command loads."""

    default_site = "config.admin_site.AdminSite"

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_pages, checks.Tags.admin)


def check_pages(**kwargs: Any) -> list[checks.CheckMessage]:
    admin.autodiscover()
    return check_admin_app(**kwargs)
