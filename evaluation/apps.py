from typing import Any

from django.apps import AppConfig
from django.apps import apps as installed
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

REGISTERING = [
    "evaluation.services.file_agreement",
    "evaluation.services.result_upload",
    "evaluation.services.scoring",
]


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = _("Evaluation")

    def ready(self) -> None:
        from evaluation.rating.task_type import RatingTask
        from studies import task_types
        from studies.management import launching
        from studies.registering import register_when_asked

        task_types.register(RatingTask())
        launching.register(RatingTask.slug, "evaluation.rating.launch_options.RatingOptions")
        register_when_asked(*REGISTERING)
        post_migrate.connect(install_instruments, sender=self)


def install_instruments(apps: Any = installed, **_: Any) -> None:
    """Once there is a table for them. `flush`, which says nothing of apps, has emptied it."""
    if "instrument" in apps.all_models["evaluation"]:
        from evaluation.services.instruments import install_built_in

        install_built_in()
