from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from evaluation.models.instrument import Instrument
from studies.models import Study


class ResultFile(models.Model):
    """A file of ratings made elsewhere, as it was read: with which columns for which question.

    One that was imported wrongly is withdrawn: its rows stay, no report counts them, and the file
    can be imported again.
    """

    study = models.ForeignKey(
        Study, models.PROTECT, related_name="result_files", verbose_name=_("study")
    )
    instrument = models.ForeignKey(
        Instrument, models.PROTECT, related_name="result_files", verbose_name=_("instrument")
    )
    system = models.CharField(_("system"), max_length=100)
    rival = models.CharField(
        _("compared with"), max_length=100, blank=True, help_text=_("The second system of pairs.")
    )
    name = models.CharField(_("file"), max_length=200)
    sha256 = models.CharField(_("hash"), max_length=64)
    columns = models.JSONField(_("columns"), help_text=_("What each question was read from."))
    left_out = models.PositiveIntegerField(
        _("left out"), default=0, help_text=_("Rejected assignments.")
    )
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, verbose_name=_("imported by")
    )
    imported_at = models.DateTimeField(_("imported"), auto_now_add=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="+",
        verbose_name=_("withdrawn by"),
    )
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True)
    withdrawn_why = models.CharField(_("withdrawn because"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("result file")
        verbose_name_plural = _("result files")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "sha256"],
                condition=models.Q(withdrawn_at__isnull=True),
                name="result_file_once_per_study",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True, withdrawn_why="")
                | (models.Q(withdrawn_at__isnull=False) & ~models.Q(withdrawn_why="")),
                name="result_file_withdrawn_for_a_reason",
            ),
            models.CheckConstraint(
                condition=~models.Q(system=models.F("rival")), name="result_file_rival_is_another"
            ),
        ]

    def __str__(self) -> str:
        return self.name
