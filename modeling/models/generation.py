from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import ReleaseRow
from modeling.models.run import Run
from modeling.run_folder import step_of_checkpoint


class Generation(models.Model):
    """One output of a run for one instance of the test split.

    It leads back to the run (configuration, seed, release), to the checkpoint that gave it, and to
    the row of the release that its instance was made from. `fields` are what an instrument may show
    of the input.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="generations", verbose_name=_("run"))
    release_row = models.ForeignKey(
        ReleaseRow,
        models.PROTECT,
        null=True,
        related_name="generations",
        verbose_name=_("row of the release"),
    )
    instance_key = models.CharField(_("instance"), max_length=200)
    tuple_key = models.CharField(_("tuple"), max_length=200)
    part = models.CharField(_("part"), max_length=50)
    checkpoint = models.CharField(_("checkpoint"), max_length=200, blank=True)
    input_sha256 = models.CharField(_("hash of the input"), max_length=64)
    fields = models.JSONField(_("what the input was made of"))
    output = models.TextField(_("output"))
    target = models.TextField(_("target"))
    score = models.JSONField(_("score"))
    details = models.JSONField(_("what the method said of it"), default=dict)

    class Meta:
        verbose_name = _("generation")
        verbose_name_plural = _("generations")
        ordering = ["run", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["run", "instance_key"], name="generation_once_per_run"),
        ]
        indexes = [models.Index(fields=["run", "tuple_key"], name="generation_of_tuple")]

    def __str__(self) -> str:
        return f"{self.run} · {self.instance_key}"

    @property
    def checkpoint_step(self) -> int | None:
        return step_of_checkpoint(self.checkpoint)

    @property
    def checkpoint_folder(self) -> str:
        """Below the folder of all runs; empty where the method has no weights of its own."""
        if self.checkpoint_step is None:
            return ""
        checkpoints = self.run.folder.checkpoints
        return str((checkpoints / self.checkpoint).relative_to(checkpoints.parent.parent))
