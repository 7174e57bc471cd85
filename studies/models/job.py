from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.study import Study


class JobState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("stopped")


class Job(models.Model):
    """A piece of heavy work with progress, cancel and a readable failure.

    The row, not the broker, is the truth: a worker claims it with a lease and renews the lease
    while it works; a lapsed lease puts the row back in the queue (see studies/jobs.py).
    """

    kind = models.CharField(_("kind"), max_length=50)
    study = models.ForeignKey(
        Study, models.PROTECT, null=True, related_name="jobs", verbose_name=_("study")
    )
    payload = models.JSONField(_("payload"), default=dict)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, verbose_name=_("requested by")
    )
    state = models.CharField(
        _("state"), max_length=10, choices=JobState.choices, default=JobState.QUEUED
    )
    cancel_requested = models.BooleanField(_("stop asked for"), default=False)
    done = models.PositiveIntegerField(_("done"), default=0)
    total = models.PositiveIntegerField(_("total"), null=True)
    message = models.CharField(_("what is being done"), max_length=300, blank=True)
    result = models.JSONField(_("result"), default=dict)
    error = models.TextField(_("error"), blank=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=JobState.values), name="job_state_known"
            ),
            models.CheckConstraint(
                condition=~models.Q(state=JobState.RUNNING) | models.Q(lease_until__isnull=False),
                name="job_running_holds_lease",
            ),
        ]
        indexes = [
            models.Index(fields=["study", "kind"], name="job_of_study"),
            models.Index(
                fields=["state", "lease_until"],
                name="job_unfinished",
                condition=models.Q(state__in=[JobState.QUEUED, JobState.RUNNING]),
            ),
        ]

    def __str__(self) -> str:
        return f"{_('job')} {self.pk}"

    @property
    def is_finished(self) -> bool:
        return self.state in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}
