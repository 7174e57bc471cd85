from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models import Participant


class Standing(models.TextChoices):
    PROFICIENT = "proficient", _("proficient")
    NOT_PROFICIENT = "not_proficient", _("not proficient")
    UNDECIDED = "undecided", _("undecided")
    WITHDREW = "withdrew", _("withdrew")


class Decision(models.Model):
    """A worker's standing in a study as it was decided, with rule and evidence; never rewritten."""

    participant = models.ForeignKey(
        Participant, models.PROTECT, related_name="decisions", verbose_name=_("participant")
    )
    standing = models.CharField(_("standing"), max_length=14, choices=Standing.choices)
    rule = models.JSONField(_("rule"))
    evidence = models.JSONField(_("evidence"))
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, verbose_name=_("decided by")
    )
    decided_at = models.DateTimeField(_("decided"), auto_now_add=True)

    class Meta:
        verbose_name = _("decision on a standing")
        verbose_name_plural = _("decisions on standings")
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(standing__in=Standing.values), name="decision_standing_known"
            ),
        ]
        indexes = [models.Index(fields=["participant", "-id"], name="decision_latest")]

    def __str__(self) -> str:
        return f"{self.participant} · {self.get_standing_display()}"
