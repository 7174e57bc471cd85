from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ModelingConfig(AppConfig):
    name = "modeling"
    verbose_name = _("Models")

    def ready(self) -> None:
        from modeling.runs.uses import runs_with
        from studies.row_uses import tells_uses

        tells_uses(runs_with)
