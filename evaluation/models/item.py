from django.db import models
from django.utils.translation import gettext_lazy as _

from evaluation.models.instrument import Instrument
from evaluation.models.result_file import ResultFile
from studies.models import Study, Task


class Item(models.Model):
    """One output of a system, or two side by side, as raters see it.

    It came with a file of ratings made elsewhere, or is shown by a task of a round; a task may show
    several. `group` is the source that several items share (the story, the tuple) and `part` which
    of the source's items this is: with both, items are scored together.
    """

    study = models.ForeignKey(
        Study, models.PROTECT, related_name="evaluation_items", verbose_name=_("study")
    )
    instrument = models.ForeignKey(
        Instrument, models.PROTECT, related_name="items", verbose_name=_("instrument")
    )
    result_file = models.ForeignKey(
        ResultFile,
        models.PROTECT,
        null=True,
        related_name="items",
        verbose_name=_("result file"),
    )
    task = models.ForeignKey(
        Task, models.PROTECT, null=True, related_name="evaluation_items", verbose_name=_("task")
    )
    system = models.CharField(_("system"), max_length=100)
    rival = models.CharField(
        _("compared with"), max_length=100, blank=True, help_text=_("The second system of a pair.")
    )
    key = models.CharField(_("item id"), max_length=200)
    group = models.CharField(_("source"), max_length=200, blank=True)
    part = models.CharField(_("part of the source"), max_length=100, blank=True)
    fields = models.JSONField(_("fields"), help_text=_("What raters are shown."))
    token = models.CharField(
        max_length=16, blank=True, editable=False, help_text=_("Its name on the raters' page.")
    )
    is_gold = models.BooleanField(
        _("gold item"),
        default=False,
        help_text=_("Put among the others to see how raters answer it; in no report on systems."),
    )
    gold = models.JSONField(
        _("gold answers"), default=dict, help_text=_("By question; never shown to raters.")
    )

    class Meta:
        verbose_name = _("item")
        verbose_name_plural = _("items")
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(result_file__isnull=True) | models.Q(task__isnull=True),
                name="item_from_one_place",
            ),
            models.CheckConstraint(
                condition=~models.Q(system=models.F("rival")), name="item_rival_is_another"
            ),
            models.UniqueConstraint(
                fields=["result_file", "key"], name="item_once_per_result_file"
            ),
            models.UniqueConstraint(
                fields=["task", "token"],
                condition=models.Q(task__isnull=False),
                name="item_token_once_per_task",
            ),
            models.CheckConstraint(
                condition=models.Q(task__isnull=True) | ~models.Q(token=""),
                name="item_of_a_task_has_token",
            ),
        ]
        indexes = [
            models.Index(fields=["study", "instrument", "system"], name="item_of_a_report"),
        ]

    def __str__(self) -> str:
        return self.key
