from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ConfigConfig(AppConfig):
    """Holds the audit log; an app also so that `manage.py check` looks at the settings."""

    name = "config"
    verbose_name = _("Site")

    def ready(self) -> None:
        import_module("config.audit")
        import_module("config.checks")
        import_module("config.roles")
