from typing import Any, NoReturn

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Origin(models.TextChoices):
    ADMIN = "admin", _("admin")
    SIGN_IN = "sign-in", _("sign-in")
    COMMAND = "command", _("command")


class AuditEntry(models.Model):
    """One thing that staff did. Rows are only added: a trigger refuses to change or delete one.

    The account is a number and a name, not a foreign key, so that it outlives the account.
    """

    at = models.DateTimeField(_("when"), default=timezone.now, db_index=True)
    origin = models.CharField(_("where"), max_length=10, choices=Origin.choices)
    actor = models.CharField(
        _("who"), max_length=150, help_text=_("The user name; of a command, the system's account.")
    )
    actor_pk = models.BigIntegerField(_("account number"), null=True)
    address = models.GenericIPAddressField(_("address"), null=True)
    action = models.CharField(_("name of the action"), max_length=100)
    target = models.CharField(_("which object"), max_length=300, blank=True)
    detail = models.JSONField(_("details"), default=list)
    request_id = models.CharField(_("request id"), max_length=64, blank=True)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(origin__in=Origin.values), name="audit_origin_known"
            ),
        ]

    def __str__(self) -> str:
        return str(_("Entry %(number)s")) % {"number": self.pk}

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("Audit entries stay.")
