from importlib import import_module

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Has no models; here so that `manage.py check` looks at the settings too."""

    name = "config"

    def ready(self) -> None:
        import_module("config.checks")
