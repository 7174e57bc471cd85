import uuid
from datetime import timedelta
from decimal import Decimal

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.story import Story
from studies.models.study import Study
from studies.models.worker import Participant


class RoundState(models.TextChoices):
    PUBLISHING = "publishing", _("publishing")
    OPEN = "open", _("open")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")


class Eligibility(models.TextChoices):
    OPEN = "open", _("Everyone")
    STAGE1 = "stage1", _("5,000 approved tasks, 98% approved, US or Canada")
    PROFICIENT = "proficient", _("Workers this study found proficient")


class Round(models.Model):
    """One launch of one task type over a set of items."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="rounds", verbose_name=_("study"))
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    launch_key = models.UUIDField(
        null=True,
        unique=True,
        editable=False,
        help_text=_("Drawn by the launch page, so that sending it twice launches once."),
    )
    number = models.PositiveIntegerField(_("number"))
    task_type = models.CharField(_("task type"), max_length=50)
    schema_version = models.PositiveSmallIntegerField(_("schema version"))
    overlap = models.PositiveSmallIntegerField(
        _("overlap"), help_text=_("How many different workers do each task.")
    )
    reward_usd = models.DecimalField(
        _("reward"), max_digits=8, decimal_places=2, help_text=_("US dollars for one task.")
    )
    time_limit = models.DurationField(_("time limit"), default=timedelta(minutes=30))
    lifetime = models.DurationField(_("lifetime"), default=timedelta(days=7))
    auto_approval_delay = models.DurationField(
        _("automatic approval after"), default=timedelta(days=3)
    )
    eligibility = models.CharField(
        _("who may work"), max_length=20, choices=Eligibility.choices, default=Eligibility.OPEN
    )
    worker_cap = models.PositiveIntegerField(
        _("tasks per worker"),
        null=True,
        help_text=_("At most so many of one worker in this round. Empty: no limit."),
    )
    apart_from = models.ManyToManyField(
        "self",
        verbose_name=_("kept apart from"),
        help_text=_("Who worked in one of these rounds cannot work in this one, and the reverse."),
    )
    pilot = models.BooleanField(
        _("pilot"),
        default=False,
        help_text=_("Tries the task and suggests a reward; never enters a release."),
    )
    past = models.BooleanField(
        _("past"), default=False, editable=False, help_text=_("Imported from a file.")
    )
    state = models.CharField(
        _("state"), max_length=20, choices=RoundState.choices, default=RoundState.PUBLISHING
    )
    seed = models.PositiveBigIntegerField(_("seed"), help_text=_("Breaks ties between tasks."))
    hit_type_id = models.CharField(max_length=64, blank=True, editable=False)
    hold_qualification_type_id = models.CharField(max_length=64, blank=True, editable=False)
    launched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, verbose_name=_("launched by")
    )
    created_at = models.DateTimeField(_("launched"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"), null=True)

    class Meta:
        verbose_name = _("round")
        verbose_name_plural = _("rounds")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="round_number_once_per_study"),
            models.CheckConstraint(
                condition=models.Q(overlap__gte=1), name="round_overlap_at_least_one"
            ),
            models.CheckConstraint(
                condition=models.Q(reward_usd__gte=Decimal(0)), name="round_reward_not_negative"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=RoundState.values), name="round_state_known"
            ),
            models.CheckConstraint(
                condition=models.Q(eligibility__in=Eligibility.values),
                name="round_eligibility_known",
            ),
            models.CheckConstraint(
                condition=models.Q(worker_cap__isnull=True) | models.Q(worker_cap__gte=1),
                name="round_worker_cap_lets_work",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study} · {_('round')} {self.number}"


class TaskQuerySet(models.QuerySet["Task"]):
    def with_room(self) -> "TaskQuerySet":
        return self.filter(taken__lt=models.F("overlap"))


class Task(models.Model):
    """One item of a round, to be done by `overlap` different workers."""

    round = models.ForeignKey(
        Round,
        models.PROTECT,
        related_name="tasks",
        verbose_name=_("round"),
        db_index=False,  # task_position_once begins with it.
    )
    story = models.ForeignKey(
        Story, models.PROTECT, null=True, related_name="tasks", verbose_name=_("story")
    )
    position = models.PositiveIntegerField(_("position"))
    payload = models.JSONField(_("item"))
    overlap = models.PositiveSmallIntegerField(_("overlap"))
    taken = models.PositiveSmallIntegerField(
        _("taken"), default=0, help_text=_("Reservations and responses that count.")
    )
    tie_break = models.PositiveIntegerField(help_text=_("Drawn with the round's seed."))

    objects = TaskQuerySet.as_manager()

    class Meta:
        verbose_name = _("task")
        verbose_name_plural = _("tasks")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["round", "position"], name="task_position_once"),
            models.CheckConstraint(
                condition=models.Q(taken__lte=models.F("overlap")), name="task_never_oversold"
            ),
        ]
        indexes = [
            models.Index(
                fields=["round", "taken", "tie_break", "id"],
                name="task_least_served",
                condition=models.Q(taken__lt=models.F("overlap")),
            ),
        ]

    def __str__(self) -> str:
        return f"{_('task')} {self.position}"


class Bar(models.Model):
    """Keeps a task from a worker who wrote what it shows. The database refuses the assignment."""

    task = models.ForeignKey(
        Task,
        models.PROTECT,
        related_name="bars",
        verbose_name=_("task"),
        db_index=False,  # bar_once begins with it.
    )
    participant = models.ForeignKey(
        Participant, models.PROTECT, related_name="bars", verbose_name=_("participant")
    )

    class Meta:
        verbose_name = _("bar")
        verbose_name_plural = _("bars")
        constraints = [
            models.UniqueConstraint(fields=["task", "participant"], name="bar_once"),
        ]

    def __str__(self) -> str:
        return f"{self.task} · {self.participant}"


class Slot(models.Model):
    """One place for one worker in a round; published as one HIT."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="slots", verbose_name=_("round"))
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    hit_id = models.CharField(_("HIT"), max_length=64, blank=True, editable=False)
    shown = models.BooleanField(
        default=True, help_text=_("Whether the marketplace offers it, as far as we have told it.")
    )
    spent = models.BooleanField(
        default=False,
        help_text=_("The marketplace took a submission that carried no response; replaced."),
    )

    class Meta:
        verbose_name = _("slot")
        verbose_name_plural = _("slots")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["hit_id"], condition=~models.Q(hit_id=""), name="slot_hit_once"
            ),
        ]
        indexes = [
            models.Index(fields=["round"], name="slot_unpublished", condition=models.Q(hit_id="")),
        ]

    def __str__(self) -> str:
        return str(self.key)


class Hold(models.Model):
    """No task of the round suits this worker at present.

    While `wanted`, the worker holds the round's "nothing left" qualification in the marketplace and
    is not offered its slots; `applied` says whether the marketplace knows.
    """

    round = models.ForeignKey(Round, models.PROTECT, related_name="holds")
    participant = models.ForeignKey(Participant, models.PROTECT, related_name="holds")
    wanted = models.BooleanField(default=True)
    applied = models.BooleanField(default=False)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("hold")
        verbose_name_plural = _("holds")
        constraints = [
            models.UniqueConstraint(fields=["round", "participant"], name="hold_once_per_worker"),
        ]

    def __str__(self) -> str:
        return f"{self.participant} {self.round}"
