from django.db import models
from django.utils.translation import gettext_lazy as _

from modeling.models.run import Run


class Point(models.Model):
    """Where a run's curves stood after a step: `values` by name, such as loss. A step that is done
    again after a kill takes the earlier one's place."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="points", verbose_name=_("run"))
    phase = models.CharField(_("phase"), max_length=30, blank=True)
    step = models.PositiveIntegerField(_("step"))
    values = models.JSONField(_("values"))

    class Meta:
        verbose_name = _("point of a curve")
        verbose_name_plural = _("points of curves")
        ordering = ["run", "phase", "step"]
        constraints = [
            models.UniqueConstraint(fields=["run", "phase", "step"], name="point_once_per_step"),
        ]

    def __str__(self) -> str:
        return f"{self.run} · {self.step}"
