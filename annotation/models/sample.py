from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.plan import ReviewPlan
from studies.models import Contribution, Participant


class Draw(models.Model):
    """One drawing of one worker's sample: the first, or a topping up as their responses grow."""

    plan = models.ForeignKey(ReviewPlan, models.PROTECT, related_name="draws")
    participant = models.ForeignKey(Participant, models.PROTECT, related_name="draws")
    number = models.PositiveSmallIntegerField(_("number"))
    submitted = models.PositiveIntegerField(
        _("responses"), help_text=_("How many the worker had when it was drawn.")
    )
    required = models.PositiveIntegerField(
        _("to review"), help_text=_("What the rule asks of so many, earlier drawings included.")
    )
    drawn_at = models.DateTimeField(_("drawn"), auto_now_add=True)

    class Meta:
        verbose_name = _("drawing")
        verbose_name_plural = _("drawings")
        constraints = [
            models.UniqueConstraint(
                fields=["plan", "participant", "number"], name="draw_number_once_per_worker"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant} · {_('drawing')} {self.number}"


class Pick(models.Model):
    """A contribution that is in the sample; so many different experts judge it."""

    draw = models.ForeignKey(Draw, models.PROTECT, related_name="picks")
    contribution = models.OneToOneField(Contribution, models.PROTECT, related_name="pick")
    experts = models.PositiveSmallIntegerField(_("experts"), default=1)
    taken = models.PositiveSmallIntegerField(
        _("taken"), default=0, help_text=_("Experts who have it before them or have judged it.")
    )

    class Meta:
        verbose_name = _("sampled contribution")
        verbose_name_plural = _("sampled contributions")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(experts__in=[1, 2]), name="pick_one_or_two_experts"
            ),
            models.CheckConstraint(
                condition=models.Q(taken__lte=models.F("experts")), name="pick_never_oversold"
            ),
        ]
        indexes = [
            models.Index(
                fields=["draw"],
                name="pick_to_review",
                condition=models.Q(taken__lt=models.F("experts")),
            ),
        ]

    def __str__(self) -> str:
        return str(self.contribution)


class Pool(models.Model):
    """Contributions that all experts judge, to see how far they agree."""

    plan = models.ForeignKey(ReviewPlan, models.PROTECT, related_name="pools")
    size = models.PositiveIntegerField(_("size"))
    seed = models.PositiveBigIntegerField(_("seed"))
    drawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, verbose_name=_("drawn by")
    )
    drawn_at = models.DateTimeField(_("drawn"), auto_now_add=True)
    contributions = models.ManyToManyField(Contribution, related_name="pools")

    class Meta:
        verbose_name = _("agreement pool")
        verbose_name_plural = _("agreement pools")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{_('agreement pool')} {self.pk}"
