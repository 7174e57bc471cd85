from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Release
from evaluation.models.instrument import Instrument
from studies.models import Round


class RatingRound(models.Model):
    """What a round of ratings was launched with: the instrument, and where its items came from.

    `source` is {"kind": "file", "name", "sha256"}, {"kind": "release", "input"} or {"kind": "runs",
    "runs"}.
    """

    round = models.OneToOneField(
        Round, models.PROTECT, related_name="rating_round", verbose_name=_("round")
    )
    instrument = models.ForeignKey(
        Instrument, models.PROTECT, related_name="rounds", verbose_name=_("instrument")
    )
    source = models.JSONField(_("source"))
    release = models.ForeignKey(
        Release,
        models.PROTECT,
        null=True,
        related_name="rating_rounds",
        verbose_name=_("release"),
    )
    sample = models.PositiveIntegerField(
        _("sample"),
        null=True,
        help_text=_("How many sources were drawn. Empty: all of them."),
    )
    seed = models.PositiveBigIntegerField(
        _("seed"), help_text=_("Draws the sample, and the order of items on each page.")
    )
    same_raters = models.BooleanField(
        _("same raters"), default=False, help_text=_("All items of a source on one page.")
    )
    gold_share = models.DecimalField(
        _("share of gold items"), max_digits=4, decimal_places=3, default=0
    )

    class Meta:
        verbose_name = _("evaluation round")
        verbose_name_plural = _("evaluation rounds")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(sample__isnull=True) | models.Q(sample__gte=1),
                name="rating_round_sample_not_empty",
            ),
            models.CheckConstraint(
                condition=models.Q(gold_share__gte=0) & models.Q(gold_share__lt=1),
                name="rating_round_gold_share_below_one",
            ),
        ]

    def __str__(self) -> str:
        return str(self.round)
