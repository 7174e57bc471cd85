import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Release
from modeling.run_folder import RunFolder
from studies.models import Study


class RunState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("stopped")


OPEN_STATES = (RunState.QUEUED, RunState.RUNNING)


class RunQuerySet(models.QuerySet["Run"]):
    def done(self) -> "RunQuerySet":
        return self.filter(state=RunState.DONE)


class Run(models.Model):
    """One model job: what it learns from, its configuration and seed, its state.

    The row, not the broker, is the truth: who works on it holds a lease, renewed by heartbeats; a
    lapsed lease puts it back in its queue. It learns from a release, or from files, whose
    instances were then written into its folder when it was made.
    """

    public_id = models.UUIDField(_("public id"), default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="runs", verbose_name=_("study"))
    name = models.CharField(_("name"), max_length=100, blank=True)
    release = models.ForeignKey(
        Release, models.PROTECT, null=True, related_name="runs", verbose_name=_("release")
    )
    began_with = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        related_name="heirs",
        verbose_name=_("began with"),
        help_text=_("The run whose model it went on from, and with it what that had learnt."),
    )
    files = models.JSONField(
        _("files"), default=dict, help_text=_("Where it learns from files: split, name, hash.")
    )
    task = models.CharField(_("task"), max_length=50)
    method = models.CharField(_("method"), max_length=50)
    configuration = models.JSONField(_("configuration"), default=dict)
    input = models.CharField(_("input"), max_length=20, default="marked")
    partition = models.CharField(
        _("partition"),
        max_length=20,
        default="both",
        help_text=_("What it learns from; it is tested on both."),
    )
    seed = models.PositiveBigIntegerField(_("seed"))
    queue = models.SlugField(_("queue"), max_length=50)
    processes = models.PositiveSmallIntegerField(_("processes"), default=1)

    state = models.CharField(
        _("state"), max_length=10, choices=RunState.choices, default=RunState.QUEUED
    )
    cancel_requested = models.BooleanField(_("stop asked for"), default=False)
    progress = models.JSONField(_("progress"), default=dict)
    reason = models.CharField(_("reason"), max_length=50, blank=True)
    error = models.TextField(_("error"), blank=True)
    last_words = models.TextField(_("last lines of the log"), blank=True)
    data_sha256 = models.CharField(_("hash of the instances"), max_length=64, blank=True)
    code_version = models.CharField(_("code version"), max_length=64, blank=True)
    model_revision = models.CharField(_("model revision"), max_length=100, blank=True)
    facts = models.JSONField(_("what the method said of itself"), default=dict)

    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    host = models.CharField(_("host"), max_length=100, blank=True)
    sent_at = models.DateTimeField(null=True, editable=False)

    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, verbose_name=_("requested by")
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=RunState.values), name="run_state_known"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    state=RunState.RUNNING, lease_token__isnull=False, lease_until__isnull=False
                )
                | (~models.Q(state=RunState.RUNNING) & models.Q(lease_token__isnull=True)),
                name="run_running_holds_lease",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=OPEN_STATES, finished_at__isnull=True)
                | (~models.Q(state__in=OPEN_STATES) & models.Q(finished_at__isnull=False)),
                name="run_ended_has_time",
            ),
            models.CheckConstraint(
                condition=models.Q(release__isnull=False) ^ ~models.Q(files={}),
                name="run_of_release_or_files",
            ),
            models.CheckConstraint(condition=models.Q(processes__gte=1), name="run_processes_some"),
        ]
        indexes = [
            models.Index(
                fields=["state", "lease_until"],
                name="run_unfinished",
                condition=models.Q(state__in=OPEN_STATES),
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"{_('run')} {self.pk}"

    @property
    def folder(self) -> RunFolder:
        return RunFolder(Path(settings.RUNS_DIR) / str(self.public_id))

    @property
    def is_finished(self) -> bool:
        return self.state not in OPEN_STATES
