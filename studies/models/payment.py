from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.assignment import Assignment


class PaymentKind(models.TextChoices):
    APPROVE = "approve", _("approve")
    REJECT = "reject", _("reject")


class PaymentState(models.TextChoices):
    WANTED = "wanted", _("to be sent")
    CONFIRMED = "confirmed", _("confirmed")
    REFUSED = "refused", _("refused by the marketplace")


class Payment(models.Model):
    """An intent to pay or not to pay an assignment: one row, sent by a job until confirmed."""

    assignment = models.OneToOneField(
        Assignment, models.PROTECT, related_name="payment", verbose_name=_("assignment")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=PaymentKind.choices)
    reason = models.TextField(_("what the worker reads"), blank=True)
    answer = models.TextField(
        _("what the worker answered"), blank=True, help_text=_("To a rejection, once.")
    )
    answered_at = models.DateTimeField(_("answered"), null=True)
    overruled_at = models.DateTimeField(
        _("approved after all"), null=True, help_text=_("When the rejection was taken back.")
    )
    state = models.CharField(
        _("state"), max_length=10, choices=PaymentState.choices, default=PaymentState.WANTED
    )
    error = models.TextField(_("error"), blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, verbose_name=_("decided by")
    )
    created_at = models.DateTimeField(_("decided"), auto_now_add=True)
    confirmed_at = models.DateTimeField(_("confirmed"), null=True)

    class Meta:
        verbose_name = _("payment")
        verbose_name_plural = _("payments")
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=PaymentKind.values), name="payment_kind_known"
            ),
            models.CheckConstraint(
                condition=~models.Q(kind=PaymentKind.REJECT) | ~models.Q(reason=""),
                name="payment_rejection_has_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(answer="", answered_at__isnull=True)
                | (~models.Q(answer="") & models.Q(answered_at__isnull=False)),
                name="payment_answer_has_time",
            ),
            models.CheckConstraint(
                condition=models.Q(overruled_at__isnull=True) | models.Q(kind=PaymentKind.APPROVE),
                name="payment_overruled_approves",
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                name="payment_to_send",
                condition=models.Q(state=PaymentState.WANTED),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.assignment}"
