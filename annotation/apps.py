from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.tasks.state_annotation.task_type import StateAnnotation
        from studies import task_types

        task_types.register(StateAnnotation())
