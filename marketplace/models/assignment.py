from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from marketplace import ids
from marketplace.models.hit import HIT
from marketplace.models.worker import Worker


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def held(self, at: datetime) -> Self:
        """Accepted and still within its time."""
        return self.filter(status=Assignment.Status.ACCEPTED, deadline__gt=at)

    def lapsed(self, at: datetime) -> Self:
        return self.filter(status=Assignment.Status.ACCEPTED, deadline__lte=at)


class Assignment(models.Model):
    """One worker's attempt at one HIT.

    Requesters see it once it is submitted. Accepting a returned HIT again makes a new assignment.
    """

    class Status(models.TextChoices):
        ACCEPTED = "Accepted", _("accepted")
        RETURNED = "Returned", _("returned")
        ABANDONED = "Abandoned", _("time ran out")
        SUBMITTED = "Submitted", _("submitted")
        APPROVED = "Approved", _("approved")
        REJECTED = "Rejected", _("rejected")

    REVIEWED = (Status.APPROVED, Status.REJECTED)
    GIVEN_UP = (Status.RETURNED, Status.ABANDONED)

    assignment_id = models.CharField(
        _("assignment id"), max_length=30, unique=True, default=ids.new_entity_id
    )
    hit = models.ForeignKey(
        HIT,
        on_delete=models.PROTECT,
        related_name="assignments",
        verbose_name=_("HIT"),
        db_index=False,  # assignment_of_hit begins with it.
    )
    worker = models.ForeignKey(
        Worker,
        on_delete=models.PROTECT,
        related_name="assignments",
        verbose_name=_("worker"),
        db_index=False,  # assignment_of_worker begins with it.
    )
    status = models.CharField(_("status"), max_length=9, choices=Status, default=Status.ACCEPTED)
    accepted_at = models.DateTimeField(_("accepted at"))
    deadline = models.DateTimeField(_("deadline"))
    # When it was returned or its time ran out.
    given_up_at = models.DateTimeField(_("returned at"), null=True, blank=True)
    submitted_at = models.DateTimeField(_("submitted at"), null=True, blank=True)
    auto_approval_at = models.DateTimeField(_("approved at the latest"), null=True, blank=True)
    approved_at = models.DateTimeField(_("approved at"), null=True, blank=True)
    rejected_at = models.DateTimeField(_("rejected at"), null=True, blank=True)
    answer = models.TextField(_("answer"), blank=True)
    requester_feedback = models.CharField(_("feedback"), max_length=1024, blank=True)
    # What the worker says to a rejection; once, and the requester is told.
    worker_reply = models.CharField(_("worker's reply"), max_length=1024, blank=True)
    replied_at = models.DateTimeField(_("replied at"), null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("assignment")
        verbose_name_plural = _("assignments")
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "worker"],
                condition=~Q(status__in=["Returned", "Abandoned"]),
                name="assignment_one_live_per_worker_and_hit",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["Accepted", "Returned", "Abandoned"])
                | Q(submitted_at__isnull=False, auto_approval_at__isnull=False),
                name="assignment_submitted_has_its_times",
            ),
            models.CheckConstraint(
                condition=Q(worker_reply="", replied_at__isnull=True)
                | (Q(status__in=["Rejected", "Approved"], replied_at__isnull=False))
                & ~Q(worker_reply=""),
                name="assignment_reply_to_a_decision",
            ),
        ]
        indexes = [
            models.Index(
                fields=["deadline"], condition=Q(status="Accepted"), name="assignment_to_lapse"
            ),
            models.Index(
                fields=["auto_approval_at"],
                condition=Q(status="Submitted"),
                name="assignment_to_auto_approve",
            ),
            models.Index(fields=["hit", "status"], name="assignment_of_hit"),
            models.Index(fields=["worker", "status"], name="assignment_of_worker"),
        ]

    def __str__(self) -> str:
        return self.assignment_id

    @property
    def can_be_answered(self) -> bool:
        """By its worker, once, while it stays rejected."""
        return self.status == self.Status.REJECTED and self.replied_at is None
