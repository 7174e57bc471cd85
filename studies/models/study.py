import hashlib
import secrets
from decimal import Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _


def new_salt() -> str:
    return secrets.token_hex(16)


class Study(models.Model):
    """A research project: its stories, rounds, workers' standing, budget and consent text."""

    slug = models.SlugField(
        _("short name"), unique=True, help_text=_("Names the study in commands and files.")
    )
    title = models.CharField(_("title"), max_length=200)
    consent_text = models.TextField(
        _("consent text"),
        blank=True,
        help_text=_("Workers agree to this before their first task. Empty: none is asked."),
    )
    contact = models.CharField(
        _("contact"),
        max_length=200,
        blank=True,
        help_text=_("Whom workers can write to; shown under the consent text."),
    )
    records_process = models.BooleanField(
        _("ask to record how a text came to be"),
        default=True,
        help_text=_(
            "Workers are asked whether times, key presses, sizes of pastes and changes of window "
            "may be recorded for reviewers. Refusing closes no task. Off: nobody is asked, nothing "
            "is recorded."
        ),
    )
    budget_usd = models.DecimalField(
        _("budget (USD)"),
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal(0))],
        help_text=_("In US dollars, fee included. A launch above what is left asks first."),
    )
    worker_cap = models.PositiveIntegerField(
        _("tasks per worker"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("At most so many of one worker in all rounds of the study. Empty: no limit."),
    )
    qualification_type_id = models.CharField(
        _("qualification type"),
        max_length=64,
        blank=True,
        editable=False,
        help_text=_("The marketplace's qualification of workers whom this study found proficient."),
    )
    export_salt = models.CharField(max_length=32, default=new_salt, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("study")
        verbose_name_plural = _("studies")
        ordering = ["slug"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(budget_usd__isnull=True) | models.Q(budget_usd__gte=0),
                name="study_budget_not_negative",
            ),
            models.CheckConstraint(
                condition=models.Q(worker_cap__isnull=True) | models.Q(worker_cap__gte=1),
                name="study_worker_cap_lets_work",
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.slug

    @property
    def consent_version(self) -> str:
        """A short hash of the consent text; a changed text asks again."""
        return hashlib.sha256(self.consent_text.encode()).hexdigest()[:12]
