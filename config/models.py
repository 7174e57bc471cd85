import hashlib
import secrets
from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Origin(models.TextChoices):
    ADMIN = "admin", _("admin")
    SIGN_IN = "sign-in", _("sign-in")
    COMMAND = "command", _("command")
    API = "api", _("API")


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


class TokenQuerySet(models.QuerySet["ApiToken"]):
    def of(self, secret: bytes) -> "ApiToken | None":
        """The token in use whose secret this is."""
        known = self.filter(digest=digest_of(secret), revoked_at__isnull=True, user__is_active=True)
        return known.select_related("user").first()


class ApiToken(models.Model):
    """Lets a program use the API as its account. The secret is shown once; its hash is kept."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="api_tokens",
        verbose_name=_("account"),
    )
    label = models.CharField(_("label"), max_length=100, help_text=_("What it is for."))
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(_("made"), auto_now_add=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)

    objects = TokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.user} · {self.label}"


def new_secret() -> str:
    """So long that guessing is no use, which is why a plain hash of it is safe to keep."""
    return f"fabula_{secrets.token_urlsafe(32)}"


def digest_of(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()
