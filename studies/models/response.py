from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.assignment import Assignment


class ResponseState(models.TextChoices):
    SUBMITTED = "submitted", _("waiting for the marketplace")
    CONFIRMED = "confirmed", _("confirmed")
    UNCONFIRMED = "unconfirmed", _("unconfirmed")


class Response(models.Model):
    """The validated answers of a submitted assignment."""

    assignment = models.OneToOneField(
        Assignment, models.PROTECT, related_name="response", verbose_name=_("assignment")
    )
    task_type = models.CharField(_("task type"), max_length=50)
    schema_version = models.PositiveSmallIntegerField(_("schema version"))
    answers = models.JSONField(_("answers"))
    cautions = models.JSONField(
        _("warnings"), default=list, help_text=_("What the worker was asked and kept.")
    )
    evidence = models.JSONField(
        _("evidence"), null=True, help_text=_("How the text came to be. Empty: not recorded.")
    )
    state = models.CharField(
        _("state"),
        max_length=12,
        choices=ResponseState.choices,
        default=ResponseState.SUBMITTED,
    )
    submitted_at = models.DateTimeField(_("submitted"))
    confirmed_at = models.DateTimeField(_("confirmed"), null=True)

    class Meta:
        verbose_name = _("response")
        verbose_name_plural = _("responses")
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=ResponseState.values), name="response_state_known"
            ),
            models.CheckConstraint(
                condition=~models.Q(state=ResponseState.CONFIRMED)
                | models.Q(confirmed_at__isnull=False),
                name="response_confirmed_has_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["submitted_at"],
                name="response_waiting",
                condition=models.Q(state=ResponseState.SUBMITTED),
            ),
            models.Index(
                fields=["-submitted_at"],
                name="response_unconfirmed",
                condition=models.Q(state=ResponseState.UNCONFIRMED),
            ),
        ]

    def __str__(self) -> str:
        return f"{_('response')} {self.pk}"


class ContributionStatus(models.TextChoices):
    PENDING = "pending", _("not decided")
    ACCEPTED = "accepted", _("accepted")
    REJECTED = "rejected", _("rejected")
    REPLACED = "replaced", _("replaced")
    WITHDRAWN = "withdrawn", _("withdrawn")


class Contribution(models.Model):
    """One usable piece that a response yields; verdicts and release rows attach to it."""

    response = models.ForeignKey(
        Response,
        models.PROTECT,
        related_name="contributions",
        verbose_name=_("response"),
        db_index=False,  # contribution_place_once begins with it.
    )
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    kind = models.CharField(_("kind"), max_length=50)
    content = models.JSONField(_("content"))
    version = models.PositiveSmallIntegerField(_("version"), default=1)
    parent = models.ForeignKey(
        "self", models.PROTECT, null=True, related_name="successors", verbose_name=_("replaces")
    )
    status = models.CharField(
        _("status"),
        max_length=10,
        choices=ContributionStatus.choices,
        default=ContributionStatus.PENDING,
    )

    class Meta:
        verbose_name = _("contribution")
        verbose_name_plural = _("contributions")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["response", "position", "version"], name="contribution_place_once"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=ContributionStatus.values),
                name="contribution_status_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["response"],
                name="contribution_withdrawn",
                condition=models.Q(status=ContributionStatus.WITHDRAWN),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
