from decimal import Decimal

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from marketplace.models.assignment import Assignment


class Bonus(models.Model):
    """What a requester paid a worker on top of an assignment's reward; its ledger entries moved
    the money."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="bonuses", verbose_name=_("assignment")
    )
    amount_usd = models.DecimalField(
        _("amount"), max_digits=8, decimal_places=2, help_text=_("US dollars")
    )
    reason = models.CharField(_("reason"), max_length=1024)
    granted_at = models.DateTimeField(_("granted at"))

    class Meta:
        ordering = ["-id"]
        verbose_name = _("bonus")
        verbose_name_plural = _("bonuses")
        constraints = [
            models.CheckConstraint(
                condition=Q(amount_usd__gt=Decimal(0)), name="bonus_amount_positive"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="bonus_reason_given"),
        ]

    def __str__(self) -> str:
        return f"{self.amount_usd}: {self.reason}"
