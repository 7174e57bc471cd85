from decimal import Decimal

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from marketplace import ids


class Requester(models.Model):
    """Whoever publishes HITs: holds the keys, the funds and the secret that signs for it."""

    requester_id = models.CharField(
        _("requester id"), max_length=14, unique=True, default=ids.new_requester_id, editable=False
    )
    name = models.CharField(_("name"), max_length=100, unique=True)
    signing_secret = models.CharField(
        _("signing secret"),
        max_length=64,
        default=ids.new_secret,
        help_text=_("Signs frame parameters and notifications (MTURK_SIGNING_SECRET)."),
    )
    balance_usd = models.DecimalField(
        _("balance"),
        max_digits=14,
        decimal_places=2,
        default=Decimal(0),
        editable=False,
        help_text=_("US dollars: the sum of the ledger, kept with every entry."),
    )
    on_hold_usd = models.DecimalField(
        _("on hold"),
        max_digits=14,
        decimal_places=2,
        default=Decimal(0),
        editable=False,
        help_text=_("US dollars that published HITs may still cost."),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name = _("requester")
        verbose_name_plural = _("requesters")
        constraints = [
            models.CheckConstraint(
                condition=Q(on_hold_usd__gte=0), name="requester_on_hold_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(balance_usd__gte=F("on_hold_usd")), name="requester_covers_its_holds"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def available_usd(self) -> Decimal:
        return self.balance_usd - self.on_hold_usd


class AccessKey(models.Model):
    """A key pair with which a requester's client signs its calls.

    The secret is kept as it is because the signature can only be checked by computing it again.
    """

    requester = models.ForeignKey(
        Requester, on_delete=models.CASCADE, related_name="keys", verbose_name=_("requester")
    )
    access_key_id = models.CharField(
        _("access key id"), max_length=128, unique=True, default=ids.new_access_key_id
    )
    secret_access_key = models.CharField(max_length=128, default=ids.new_secret)
    is_active = models.BooleanField(_("active"), default=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        verbose_name = _("access key")
        verbose_name_plural = _("access keys")

    def __str__(self) -> str:
        return self.access_key_id
