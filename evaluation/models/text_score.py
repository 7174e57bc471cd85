from django.db import models
from django.utils.translation import gettext_lazy as _


class TextScore(models.Model):
    """What an output scores beside a reference, worked out once: both are known by one hash.

    Outputs of runs have theirs with the generation; these are of all others.
    """

    digest = models.CharField(_("hash of both texts"), max_length=64, unique=True)
    shares = models.JSONField(_("scores"), help_text=_("By metric: its part and its whole."))

    class Meta:
        verbose_name = _("score of a text")
        verbose_name_plural = _("scores of texts")

    def __str__(self) -> str:
        return self.digest
