from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

JOB_MODULES = ["studies.services.publishing", "studies.services.story_upload"]


class StudiesConfig(AppConfig):
    name = "studies"
    verbose_name = _("Research")

    def ready(self) -> None:
        for module in JOB_MODULES:
            import_module(module)
