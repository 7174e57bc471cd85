from django.db import models
from django.utils.translation import gettext_lazy as _

from marketplace.models.requester import Requester
from marketplace.models.worker import Worker


class Message(models.Model):
    """What a requester wrote to a worker, who reads it on the worker site.

    `Worker.unread_messages` counts those without `read_at`.
    """

    requester = models.ForeignKey(
        Requester, on_delete=models.PROTECT, related_name="messages", verbose_name=_("requester")
    )
    worker = models.ForeignKey(
        Worker,
        on_delete=models.PROTECT,
        related_name="messages",
        verbose_name=_("worker"),
        db_index=False,  # message_of_worker begins with it.
    )
    subject = models.CharField(_("subject"), max_length=200)
    text = models.CharField(_("text"), max_length=4096)
    sent_at = models.DateTimeField(_("sent at"))
    read_at = models.DateTimeField(_("read at"), null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        indexes = [models.Index(fields=["worker", "-id"], name="message_of_worker")]

    def __str__(self) -> str:
        return self.subject
