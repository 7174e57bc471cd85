from datetime import timedelta

from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.round import Slot, Task
from studies.models.worker import Participant


class AssignmentState(models.TextChoices):
    ACCEPTED = "accepted", _("accepted")
    SUBMITTED = "submitted", _("submitted")
    APPROVED = "approved", _("approved")
    REJECTED = "rejected", _("rejected")
    RETURNED = "returned", _("returned")
    ABANDONED = "abandoned", _("abandoned")


# In these states an assignment fills a place of its task and of its slot.
LIVE = (
    AssignmentState.ACCEPTED,
    AssignmentState.SUBMITTED,
    AssignmentState.APPROVED,
    AssignmentState.REJECTED,
)
# In these it is given up: its place is free, and its draft is kept.
ENDED = (AssignmentState.RETURNED, AssignmentState.ABANDONED)


class Assignment(models.Model):
    """One worker's attempt at one task.

    A worker who returns a task or lets it lapse and comes back goes on with the same row and draft,
    under the marketplace's new assignment id.
    """

    task = models.ForeignKey(
        Task,
        models.PROTECT,
        related_name="assignments",
        verbose_name=_("task"),
        db_index=False,  # assignment_once_per_worker_and_task begins with it.
    )
    participant = models.ForeignKey(
        Participant,
        models.PROTECT,
        null=True,
        related_name="assignments",
        verbose_name=_("participant"),
        help_text=_("Empty where an imported file does not name the worker."),
    )
    slot = models.ForeignKey(
        Slot, models.PROTECT, null=True, related_name="assignments", verbose_name=_("slot")
    )
    marketplace_id = models.CharField(_("assignment id"), max_length=100)
    state = models.CharField(
        _("state"),
        max_length=10,
        choices=AssignmentState.choices,
        default=AssignmentState.ACCEPTED,
    )
    accepted_at = models.DateTimeField(_("accepted"))
    worked_before = models.DurationField(
        _("worked before"),
        default=timedelta,
        db_default=timedelta(0),
        help_text=_(
            "Of a task taken up again: from each earlier acceptance to the last save of the draft."
        ),
    )
    deadline = models.DateTimeField(_("deadline"), null=True)
    draft = models.JSONField(_("draft"), default=dict)
    draft_saved_at = models.DateTimeField(_("draft saved"), null=True)
    evidence = models.JSONField(
        _("evidence"),
        default=dict,
        help_text=_("How the draft came to be, with the worker's consent, page by page."),
    )
    submitted_at = models.DateTimeField(_("submitted"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("assignment")
        verbose_name_plural = _("assignments")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "participant"], name="assignment_once_per_worker_and_task"
            ),
            models.UniqueConstraint(
                fields=["slot"],
                condition=models.Q(state__in=LIVE),
                name="assignment_one_live_per_slot",
            ),
            models.UniqueConstraint(
                fields=["marketplace_id", "participant"],
                condition=models.Q(state__in=LIVE),
                name="assignment_id_live_once_per_worker",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=AssignmentState.values), name="assignment_state_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["deadline"],
                name="assignment_may_lapse",
                condition=models.Q(state=AssignmentState.ACCEPTED),
            ),
            models.Index(fields=["marketplace_id"], name="assignment_marketplace_id"),
            models.Index(
                fields=["participant"],
                name="assignment_given_up",
                condition=models.Q(state__in=ENDED),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task} · {self.participant or _('worker unknown')}"
