from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from marketplace.models.assignment import Assignment
from marketplace.models.bonus import Bonus
from marketplace.models.requester import Requester
from marketplace.models.worker import Worker


class LedgerEntry(models.Model):
    """A movement of money; never changed or deleted.

    `amount_usd` is what the requester's account gains (credit) or loses (reward, bonus, fee). A
    worker earned what the entries with their name took from requesters.
    """

    class Kind(models.TextChoices):
        CREDIT = "credit", _("credit")
        REWARD = "reward", _("reward")
        BONUS = "bonus", _("bonus")
        FEE = "fee", _("fee")

    requester = models.ForeignKey(
        Requester, on_delete=models.PROTECT, related_name="ledger", verbose_name=_("requester")
    )
    kind = models.CharField(_("kind"), max_length=6, choices=Kind)
    amount_usd = models.DecimalField(
        _("amount"), max_digits=14, decimal_places=2, help_text=_("US dollars")
    )
    worker = models.ForeignKey(
        Worker,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="ledger",
        verbose_name=_("worker"),
    )
    assignment = models.ForeignKey(
        Assignment,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="ledger",
        verbose_name=_("assignment"),
    )
    bonus = models.ForeignKey(
        Bonus,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="ledger",
        verbose_name=_("bonus"),
        db_index=False,  # ledger_one_entry_per_bonus_and_kind begins with it.
    )
    note = models.CharField(_("note"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = _("ledger entry")
        verbose_name_plural = _("ledger entries")
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "kind"],
                condition=Q(bonus=None),
                name="ledger_one_entry_per_assignment_and_kind",
            ),
            models.UniqueConstraint(
                fields=["bonus", "kind"], name="ledger_one_entry_per_bonus_and_kind"
            ),
            models.CheckConstraint(
                condition=Q(kind="credit", assignment=None, worker=None, bonus=None)
                | Q(kind="reward", assignment__isnull=False, worker__isnull=False, bonus=None)
                | Q(
                    kind="bonus",
                    assignment__isnull=False,
                    worker__isnull=False,
                    bonus__isnull=False,
                )
                | Q(kind="fee", assignment__isnull=False, worker=None),
                name="ledger_entry_names_its_parties",
            ),
            models.CheckConstraint(
                condition=Q(kind="credit") | Q(amount_usd__lte=0),
                name="ledger_payments_are_debits",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.amount_usd}"
