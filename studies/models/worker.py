import secrets

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.study import Study

# Of the question in templates/task/recording.html; a higher one asks everybody again.
RECORDING_VERSION = 1


def new_pseudonym() -> str:
    return f"w-{secrets.token_hex(5)}"


class Worker(models.Model):
    """A person as the marketplace knows them. Outside the database only pseudonyms appear."""

    marketplace_id = models.CharField(_("marketplace id"), max_length=100, unique=True)

    class Meta:
        verbose_name = _("worker")
        verbose_name_plural = _("workers")

    def __str__(self) -> str:
        return self.marketplace_id


class Participant(models.Model):
    """A worker in one study, under a pseudonym."""

    study = models.ForeignKey(
        Study, models.PROTECT, related_name="participants", verbose_name=_("study")
    )
    worker = models.ForeignKey(
        Worker, models.PROTECT, related_name="participations", verbose_name=_("worker")
    )
    pseudonym = models.CharField(
        _("pseudonym"), max_length=20, unique=True, default=new_pseudonym, editable=False
    )
    consented_at = models.DateTimeField(_("consented"), null=True, editable=False)
    consent_version = models.CharField(
        _("consent version"), max_length=12, blank=True, editable=False
    )
    recording_agreed = models.BooleanField(
        _("agreed to recording"),
        null=True,
        editable=False,
        help_text=_("Whether how this worker's texts come to be may be recorded. Empty: unasked."),
    )
    recording_decided_at = models.DateTimeField(_("decided on"), null=True, editable=False)
    recording_version = models.PositiveSmallIntegerField(
        _("version of the question"), null=True, editable=False
    )
    instructions_seen = ArrayField(
        models.CharField(max_length=50),
        default=list,
        editable=False,
        verbose_name=_("instructions"),
    )
    qualified_at = models.DateTimeField(
        _("proficient"),
        null=True,
        editable=False,
        help_text=_("Since when this worker is meant to hold the study's qualification."),
    )
    qualification_applied = models.BooleanField(
        default=True, editable=False, help_text=_("Whether the marketplace knows.")
    )
    created_at = models.DateTimeField(_("first seen"), auto_now_add=True)

    class Meta:
        verbose_name = _("participant")
        verbose_name_plural = _("participants")
        constraints = [
            models.UniqueConstraint(fields=["study", "worker"], name="participant_once_per_study"),
            models.CheckConstraint(
                condition=models.Q(
                    recording_agreed__isnull=True,
                    recording_decided_at__isnull=True,
                    recording_version__isnull=True,
                )
                | models.Q(
                    recording_agreed__isnull=False,
                    recording_decided_at__isnull=False,
                    recording_version__isnull=False,
                ),
                name="participant_recording_choice_whole",
            ),
        ]
        indexes = [
            models.Index(
                fields=["study"],
                name="participant_qualification_due",
                condition=models.Q(qualification_applied=False),
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def has_consented(self) -> bool:
        """To the consent text as it stands now; a study without one asks for none."""
        return not self.study.consent_text or (
            self.consented_at is not None and self.consent_version == self.study.consent_version
        )

    @property
    def recording_choice(self) -> bool | None:
        """The answer to the question as it stands now; None where it is still to be asked."""
        return self.recording_agreed if self.recording_version == RECORDING_VERSION else None
