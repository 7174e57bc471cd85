from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

REGISTERING = [
    "studies.services.publishing",
    "studies.services.response_upload",
    "studies.services.story_upload",
    "studies.figures.work",
]


class StudiesConfig(AppConfig):
    name = "studies"
    verbose_name = _("Research")

    def ready(self) -> None:
        from studies.registering import register_when_asked

        register_when_asked(*REGISTERING)
