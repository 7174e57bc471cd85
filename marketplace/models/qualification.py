from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from marketplace import ids
from marketplace.models.requester import Requester
from marketplace.models.worker import Worker


class QualificationTypeQuerySet(models.QuerySet["QualificationType"]):
    def kept(self) -> Self:
        return self.filter(deleted_at=None)


class QualificationType(models.Model):
    """A mark that a requester made up and grants to workers.

    A deleted one can be required and granted no more, and its name is free. Workers keep what they
    were granted, and what was published with it still asks for it.
    """

    class Status(models.TextChoices):
        ACTIVE = "Active", _("active")
        INACTIVE = "Inactive", _("inactive")

    qualification_type_id = models.CharField(
        _("qualification type id"), max_length=30, unique=True, default=ids.new_entity_id
    )
    requester = models.ForeignKey(
        Requester,
        on_delete=models.PROTECT,
        related_name="qualification_types",
        verbose_name=_("requester"),
    )
    name = models.CharField(_("name"), max_length=200)
    keywords = models.CharField(_("keywords"), max_length=1000, blank=True)
    description = models.CharField(_("description"), max_length=2000)
    status = models.CharField(_("status"), max_length=8, choices=Status, default=Status.ACTIVE)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    deleted_at = models.DateTimeField(_("deleted at"), null=True, editable=False)

    objects = QualificationTypeQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("qualification type")
        verbose_name_plural = _("qualification types")
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "name"],
                condition=Q(deleted_at=None),
                name="qualification_type_unique_name",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class QualificationGrant(models.Model):
    """A worker's qualification of one type; revoked ones are kept."""

    class Status(models.TextChoices):
        GRANTED = "Granted", _("granted")
        REVOKED = "Revoked", _("withdrawn")

    qualification_type = models.ForeignKey(
        QualificationType,
        on_delete=models.PROTECT,
        related_name="grants",
        verbose_name=_("qualification type"),
    )
    worker = models.ForeignKey(
        Worker, on_delete=models.PROTECT, related_name="grants", verbose_name=_("worker")
    )
    value = models.IntegerField(_("value"), default=1)
    status = models.CharField(_("status"), max_length=7, choices=Status, default=Status.GRANTED)
    reason = models.CharField(_("reason"), max_length=1024, blank=True)
    # Whether the worker is told about the latest grant.
    notify = models.BooleanField(_("the worker is told"), default=True)
    granted_at = models.DateTimeField(_("granted at"))

    class Meta:
        ordering = ["id"]
        verbose_name = _("qualification")
        verbose_name_plural = _("qualifications")
        constraints = [
            models.UniqueConstraint(
                fields=["qualification_type", "worker"], name="grant_one_per_worker_and_type"
            ),
        ]
        indexes = [
            models.Index(fields=["worker"], condition=Q(status="Granted"), name="grant_of_worker"),
        ]

    def __str__(self) -> str:
        return f"{self.qualification_type_id}: {self.value}"
