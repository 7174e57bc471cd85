from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

REGISTERING = [
    "annotation.proficiency.deciding",
    "annotation.releases.jobs",
    "annotation.releases.file_statistics",
    "annotation.figures.review",
]


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = _("Annotation")

    def ready(self) -> None:
        from annotation.tasks.state_annotation.task_type import StateAnnotation
        from studies import task_types
        from studies.registering import register_when_asked

        task_types.register(StateAnnotation())
        register_when_asked(*REGISTERING)
