from django.db import models
from django.utils.translation import gettext_lazy as _

from marketplace.models.requester import Requester


class RequestToken(models.Model):
    """Remembers for 24 hours what a call with a UniqueRequestToken made."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="tokens")
    operation = models.CharField(max_length=64)
    token = models.CharField(max_length=64)
    resource_id = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("request token")
        verbose_name_plural = _("request tokens")
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "operation", "token"], name="request_token_used_once"
            ),
        ]

    def __str__(self) -> str:
        return self.token
