from django.db import models
from django.utils.translation import gettext_lazy as _

from marketplace.models.requester import Requester
from marketplace.models.worker import Worker


class WorkerBlock(models.Model):
    """Keeps a worker from accepting a requester's HITs. What they hold they can still submit."""

    requester = models.ForeignKey(
        Requester,
        on_delete=models.CASCADE,
        related_name="worker_blocks",
        verbose_name=_("requester"),
    )
    worker = models.ForeignKey(
        Worker,
        on_delete=models.CASCADE,
        related_name="blocks",
        verbose_name=_("worker"),
        db_index=False,  # worker_block_once begins with it.
    )
    reason = models.CharField(
        _("reason"), max_length=1024, blank=True, help_text=_("The worker does not see it.")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = _("worker block")
        verbose_name_plural = _("worker blocks")
        constraints = [
            models.UniqueConstraint(fields=["worker", "requester"], name="worker_block_once"),
        ]

    def __str__(self) -> str:
        return f"{self.requester}: {self.worker}"
