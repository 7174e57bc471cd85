from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models import Round, Study

IS_SHARE = [MinValueValidator(0), MaxValueValidator(1)]


class ReviewPlan(models.Model):
    """How a study's contributions are reviewed, and what makes one of its workers proficient."""

    study = models.OneToOneField(
        Study, models.PROTECT, related_name="review_plan", verbose_name=_("study")
    )
    rounds = models.ManyToManyField(
        Round,
        related_name="review_plans",
        blank=True,
        verbose_name=_("rounds under review"),
        help_text=_("Their responses are sampled for review and count for a worker's standing."),
    )
    seed = models.PositiveBigIntegerField(_("seed"), help_text=_("Draws samples and orders."))
    sample_share = models.DecimalField(
        _("share reviewed"),
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.3"),
        validators=IS_SHARE,
    )
    slower_share = models.DecimalField(
        _("share of further responses"),
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.2"),
        validators=IS_SHARE,
    )
    slower_plus = models.PositiveSmallIntegerField(_("added to it"), default=10)
    sample_most = models.PositiveSmallIntegerField(
        _("reviewed at most"), default=40, validators=[MinValueValidator(1)]
    )
    double_share = models.DecimalField(
        _("share for two experts"),
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.1"),
        validators=IS_SHARE,
    )
    min_responses = models.PositiveSmallIntegerField(_("responses at least"), default=50)
    max_rejected_share = models.DecimalField(
        _("rejected at most"),
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.2"),
        validators=IS_SHARE,
    )
    created_at = models.DateTimeField(_("made"), auto_now_add=True)

    class Meta:
        verbose_name = _("review plan")
        verbose_name_plural = _("review plans")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    sample_share__range=(0, 1),
                    slower_share__range=(0, 1),
                    double_share__range=(0, 1),
                    max_rejected_share__range=(0, 1),
                ),
                name="review_plan_shares_are_shares",
            ),
            models.CheckConstraint(
                condition=models.Q(sample_most__gte=1), name="review_plan_samples_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{_('review plan')} {self.study}"
