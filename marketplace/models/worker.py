from datetime import datetime
from typing import Self

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from marketplace import ids
from marketplace.models.requester import Requester

country_code = RegexValidator(r"^[A-Z]{2}$", _("Use the two-letter country code, as in US."))
subdivision_code = RegexValidator(
    r"^[A-Z0-9]{1,3}$", _("Use the code after the country, as in CA for US-CA.")
)


class Worker(models.Model):
    """Someone who does HITs.

    A new marketplace has no history, so a worker's earlier record and country may be entered with
    their source; they count together with the work done here.
    """

    worker_id = models.CharField(
        _("worker id"), max_length=14, unique=True, default=ids.new_worker_id, editable=False
    )
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        verbose_name=_("account"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="worker",
    )
    display_name = models.CharField(_("display name"), max_length=60, blank=True)
    country = models.CharField(
        _("country"),
        max_length=2,
        blank=True,
        validators=[country_code],
        help_text=_("Two letters: ISO 3166-1"),
    )
    subdivision = models.CharField(
        _("state or province"),
        max_length=3,
        blank=True,
        validators=[subdivision_code],
        help_text=_("Up to three letters or digits: ISO 3166-2"),
    )
    approved_before = models.PositiveIntegerField(_("approved elsewhere"), default=0)
    rejected_before = models.PositiveIntegerField(_("rejected elsewhere"), default=0)
    record_source = models.CharField(
        _("source of the record and country"),
        max_length=200,
        blank=True,
        help_text=_("Where the earlier record and the country come from, and when they were read."),
    )
    # Of the personal sign-in link; a higher version ends the links before.
    link_version = models.PositiveIntegerField(default=1, editable=False)
    unread_messages = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = _("worker")
        verbose_name_plural = _("workers")
        constraints = [
            models.CheckConstraint(
                condition=Q(subdivision="") | ~Q(country=""),
                name="worker_subdivision_needs_country",
                violation_error_message=_("A state or province needs its country."),
            ),
            models.CheckConstraint(
                condition=Q(approved_before=0, rejected_before=0, country="")
                | ~Q(record_source=""),
                name="worker_record_and_country_need_source",
                violation_error_message=_(
                    "Say where the earlier record and the country come from."
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.display_name or self.worker_id


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self, at: datetime) -> Self:
        return self.filter(
            Q(expires_at=None) | Q(expires_at__gt=at),
            Q(max_uses=None) | Q(uses__lt=F("max_uses")),
            revoked_at=None,
        )


class Invitation(models.Model):
    """A link with which people become workers without an e-mail address."""

    token = models.CharField(
        max_length=64, unique=True, default=ids.new_invitation_token, editable=False
    )
    requester = models.ForeignKey(
        Requester,
        on_delete=models.PROTECT,
        related_name="invitations",
        null=True,
        blank=True,
        verbose_name=_("requester"),
    )
    label = models.CharField(_("label"), max_length=100, help_text=_("For whom it is meant."))
    max_uses = models.PositiveIntegerField(
        _("at most"), null=True, blank=True, help_text=_("How many people may use it; empty: any.")
    )
    uses = models.PositiveIntegerField(_("used"), default=0, editable=False)
    expires_at = models.DateTimeField(_("valid until"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("withdrawn at"), null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            models.CheckConstraint(
                condition=Q(max_uses=None) | Q(uses__lte=F("max_uses")),
                name="invitation_uses_within_limit",
            ),
        ]

    def __str__(self) -> str:
        return self.label
