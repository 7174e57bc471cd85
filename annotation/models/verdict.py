from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models import Contribution


class ReviewSource(models.TextChoices):
    SAMPLE = "sample", _("sample")
    POOL = "pool", _("agreement pool")
    SINGLE = "single", _("outside the sample")
    ADJUDICATION = "adjudication", _("adjudication")


class Judgement(models.TextChoices):
    CORRECT = "correct", _("correct")
    REJECT = "reject", _("reject")


class Turn(models.Model):
    """A contribution laid before one expert, until they judge it or give it up."""

    contribution = models.ForeignKey(Contribution, models.PROTECT, related_name="turns")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="turns", verbose_name=_("reviewer")
    )
    source = models.CharField(_("source"), max_length=12, choices=ReviewSource.choices)
    given_at = models.DateTimeField(_("given"))
    deferred_at = models.DateTimeField(_("put off"), null=True)
    done_at = models.DateTimeField(_("done"), null=True)

    class Meta:
        verbose_name = _("review turn")
        verbose_name_plural = _("review turns")
        constraints = [
            models.UniqueConstraint(
                fields=["contribution", "reviewer"], name="turn_once_per_reviewer"
            ),
            models.CheckConstraint(
                condition=models.Q(source__in=ReviewSource.values), name="turn_source_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["reviewer", "given_at"],
                name="turn_open",
                condition=models.Q(done_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contribution} · {self.reviewer}"


class Verdict(models.Model):
    """An expert's judgement of a contribution. A changed one is kept and marked as replaced."""

    contribution = models.ForeignKey(
        Contribution, models.PROTECT, related_name="verdicts", verbose_name=_("contribution")
    )
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="verdicts",
        verbose_name=_("reviewer"),
    )
    source = models.CharField(_("source"), max_length=12, choices=ReviewSource.choices)
    judgement = models.CharField(_("verdict"), max_length=8, choices=Judgement.choices)
    grade = models.CharField(_("grade"), max_length=30, blank=True)
    step = models.PositiveSmallIntegerField(_("step at fault"), null=True)
    reason = models.CharField(_("reason"), max_length=50, blank=True)
    remark = models.TextField(_("remark"), blank=True)
    seconds = models.FloatField(_("seconds taken"), null=True)
    decided_at = models.DateTimeField(_("decided"))
    replaced_at = models.DateTimeField(_("replaced"), null=True)

    class Meta:
        verbose_name = _("verdict")
        verbose_name_plural = _("verdicts")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["contribution", "reviewer"],
                condition=models.Q(replaced_at__isnull=True),
                name="verdict_one_current_per_reviewer",
            ),
            models.UniqueConstraint(
                fields=["contribution"],
                condition=models.Q(source=ReviewSource.ADJUDICATION, replaced_at__isnull=True),
                name="verdict_one_adjudication",
            ),
            models.CheckConstraint(
                condition=models.Q(source__in=ReviewSource.values), name="verdict_source_known"
            ),
            models.CheckConstraint(
                condition=(
                    models.Q(judgement=Judgement.CORRECT, step__isnull=True, reason="")
                    & ~models.Q(grade="")
                )
                | (
                    models.Q(judgement=Judgement.REJECT, step__isnull=False, grade="")
                    & ~models.Q(reason="")
                ),
                name="verdict_whole",
            ),
        ]
        indexes = [
            models.Index(
                fields=["reviewer", "-decided_at"],
                name="verdict_current",
                condition=models.Q(replaced_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_judgement_display()} {self.contribution}"
