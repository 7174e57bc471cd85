from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from marketplace import ids
from marketplace.models.hit_type import HITType
from marketplace.models.requester import Requester


class HITQuerySet(models.QuerySet["HIT"]):
    def assignable(self, at: datetime) -> Self:
        """HITs that a worker can accept at this moment, the one that ends first coming first."""
        return self.filter(
            status=HIT.Status.ASSIGNABLE, available__gt=0, expires_at__gt=at
        ).order_by("expires_at", "id")

    def listed(self) -> Self:
        return self.exclude(status=HIT.Status.DISPOSED)


class HIT(models.Model):
    """One piece of work on offer to at most `max_assignments` different workers.

    Every assignment counts once: available, pending (accepted), submitted (waiting for a review),
    or completed (approved or rejected). `held_slots` is how many of them the requester's funds are
    held for.
    """

    class Status(models.TextChoices):
        ASSIGNABLE = "Assignable", _("open")
        UNASSIGNABLE = "Unassignable", _("being worked on")
        REVIEWABLE = "Reviewable", _("to be reviewed")
        REVIEWING = "Reviewing", _("under review")
        DISPOSED = "Disposed", _("deleted")

    class ReviewStatus(models.TextChoices):
        NOT_REVIEWED = "NotReviewed", _("not reviewed")
        MARKED_FOR_REVIEW = "MarkedForReview", _("marked for review")
        REVIEWED_APPROPRIATE = "ReviewedAppropriate", _("reviewed, appropriate")
        REVIEWED_INAPPROPRIATE = "ReviewedInappropriate", _("reviewed, inappropriate")

    hit_id = models.CharField(_("HIT id"), max_length=30, unique=True, default=ids.new_entity_id)
    hit_type = models.ForeignKey(
        HITType, on_delete=models.PROTECT, related_name="hits", verbose_name=_("HIT type")
    )
    requester = models.ForeignKey(
        Requester,
        on_delete=models.PROTECT,
        related_name="hits",
        verbose_name=_("requester"),
        db_index=False,  # hit_of_requester begins with it.
    )
    question = models.TextField(_("question"))
    max_assignments = models.PositiveIntegerField(_("assignments"))
    created_at = models.DateTimeField(_("created at"))
    expires_at = models.DateTimeField(_("expires at"))
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.ASSIGNABLE)
    review_status = models.CharField(
        _("review"), max_length=21, choices=ReviewStatus, default=ReviewStatus.NOT_REVIEWED
    )
    requester_annotation = models.CharField(_("requester’s own note"), max_length=255, blank=True)
    available = models.PositiveIntegerField(_("available"))
    pending = models.PositiveIntegerField(_("pending"), default=0)
    submitted = models.PositiveIntegerField(_("submitted"), default=0)
    completed = models.PositiveIntegerField(_("completed"), default=0)
    held_slots = models.PositiveIntegerField(_("funds held for"), default=0)
    # Whether the end of its lifetime was noticed (and HITExpired sent); an extension resets it.
    is_expired = models.BooleanField(_("expired"), default=False)

    objects = HITQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("HIT")
        verbose_name_plural = _("HITs")
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    max_assignments=F("available") + F("pending") + F("submitted") + F("completed")
                ),
                name="hit_counts_every_assignment_once",
            ),
            models.CheckConstraint(
                condition=Q(available__gte=0, pending__gte=0, submitted__gte=0, completed__gte=0),
                name="hit_counters_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(held_slots__lte=F("max_assignments")), name="hit_holds_within_bounds"
            ),
        ]
        indexes = [
            models.Index(
                fields=["hit_type", "expires_at", "id"],
                condition=Q(status="Assignable", available__gt=0),
                name="hit_to_accept",
            ),
            models.Index(
                fields=["expires_at"], condition=Q(is_expired=False), name="hit_to_expire"
            ),
            models.Index(fields=["requester", "status", "id"], name="hit_of_requester"),
        ]

    def __str__(self) -> str:
        return self.hit_id
