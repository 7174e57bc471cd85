from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.study import Study


class StudyRole(models.TextChoices):
    RESEARCHER = "researcher", _("researcher")
    REVIEWER = "reviewer", _("reviewer")


class Membership(models.Model):
    """Who works on a study, and as what. Superusers see every study, others theirs alone."""

    study = models.ForeignKey(
        Study, models.CASCADE, related_name="memberships", verbose_name=_("study")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="memberships",
        verbose_name=_("account"),
    )
    role = models.CharField(_("role"), max_length=10, choices=StudyRole.choices)

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="membership_once_per_study"),
            models.CheckConstraint(
                condition=models.Q(role__in=StudyRole.values), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.get_role_display()}"
