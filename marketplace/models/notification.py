from datetime import datetime
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from marketplace.models.hit_type import HITType
from marketplace.models.requester import Requester

# Of the notifications' JSON, oldest first.
VERSIONS = ("2006-05-05", "2014-08-15")


class Event(models.TextChoices):
    ASSIGNMENT_ACCEPTED = "AssignmentAccepted", _("assignment accepted")
    ASSIGNMENT_ABANDONED = "AssignmentAbandoned", _("assignment abandoned")
    ASSIGNMENT_RETURNED = "AssignmentReturned", _("assignment returned")
    ASSIGNMENT_SUBMITTED = "AssignmentSubmitted", _("assignment submitted")
    ASSIGNMENT_REJECTED = "AssignmentRejected", _("assignment rejected")
    ASSIGNMENT_APPROVED = "AssignmentApproved", _("assignment approved")
    HIT_CREATED = "HITCreated", _("HIT created")
    HIT_EXPIRED = "HITExpired", _("HIT expired")
    HIT_REVIEWABLE = "HITReviewable", _("HIT reviewable")
    HIT_EXTENDED = "HITExtended", _("HIT extended")
    HIT_DISPOSED = "HITDisposed", _("HIT disposed")
    # Not of MTurk: what the worker says to a rejection.
    REJECTION_ANSWERED = "RejectionAnswered", _("rejection answered")
    PING = "Ping", _("test")


class NotificationDestination(models.Model):
    """An address of a requester; its row is taken by whoever delivers to it, so order is kept."""

    requester = models.ForeignKey(
        Requester,
        on_delete=models.CASCADE,
        related_name="destinations",
        verbose_name=_("requester"),
    )
    url = models.CharField(_("address"), max_length=1000)
    # Also the lease of a delivery under way.
    next_attempt_at = models.DateTimeField(_("next attempt"), db_index=True)
    failures = models.PositiveIntegerField(_("failures in a row"), default=0)
    last_error = models.CharField(_("last error"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("notification destination")
        verbose_name_plural = _("notification destinations")
        constraints = [
            models.UniqueConstraint(fields=["requester", "url"], name="destination_unique_url"),
        ]

    def __str__(self) -> str:
        return self.url


class NotificationSetting(models.Model):
    """Which events of a HIT type are told to whom."""

    hit_type = models.OneToOneField(
        HITType,
        on_delete=models.CASCADE,
        related_name="notification_setting",
        verbose_name=_("HIT type"),
    )
    destination = models.ForeignKey(
        NotificationDestination,
        on_delete=models.PROTECT,
        related_name="settings",
        verbose_name=_("destination"),
    )
    transport = models.CharField(_("transport"), max_length=5)
    version = models.CharField(_("version"), max_length=20)
    event_types = ArrayField(
        models.CharField(max_length=20, choices=Event), default=list, verbose_name=_("events")
    )
    is_active = models.BooleanField(_("active"), default=True)

    class Meta:
        verbose_name = _("notification setting")
        verbose_name_plural = _("notification settings")

    def __str__(self) -> str:
        return f"{self.hit_type_id}: {', '.join(self.event_types)}"


class NotificationQuerySet(models.QuerySet["Notification"]):
    def due(self, at: datetime) -> Self:
        return self.filter(delivered_at=None, given_up_at=None, next_attempt_at__lte=at).order_by(
            "id"
        )


class Notification(models.Model):
    """One event to be told, written in the transaction in which it happened."""

    destination = models.ForeignKey(
        NotificationDestination,
        on_delete=models.PROTECT,
        related_name="notifications",
        verbose_name=_("destination"),
    )
    event = models.CharField(_("event"), max_length=20, choices=Event)
    event_at = models.DateTimeField(_("at"))
    hit_type_id = models.CharField(_("HIT type"), max_length=30, blank=True)
    hit_id = models.CharField(_("HIT"), max_length=30, blank=True)
    assignment_id = models.CharField(_("assignment"), max_length=30, blank=True)
    worker_id = models.CharField(_("worker"), max_length=14, blank=True)
    text = models.TextField(_("text"), blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    next_attempt_at = models.DateTimeField(_("next attempt"))
    delivered_at = models.DateTimeField(_("delivered at"), null=True, blank=True)
    given_up_at = models.DateTimeField(_("given up at"), null=True, blank=True)
    last_error = models.CharField(_("last error"), max_length=500, blank=True)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("notification")
        verbose_name_plural = _("notifications")
        indexes = [
            models.Index(
                fields=["destination", "id"],
                condition=Q(delivered_at=None, given_up_at=None),
                name="notification_to_deliver",
            ),
            models.Index(
                fields=["delivered_at"],
                condition=Q(delivered_at__isnull=False),
                name="notification_delivered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.assignment_id or self.hit_id}"
