from django.db import models
from django.utils.translation import gettext_lazy as _

from evaluation.models.item import Item
from studies.models import Participant, Response


class Rating(models.Model):
    """What one rater answered about one item: a code, or free text, for each question asked.

    Codes of a pair speak of its systems, not of sides: `swapped` says that the first one stood on
    the right.
    """

    item = models.ForeignKey(
        Item, models.PROTECT, related_name="ratings", db_index=False, verbose_name=_("item")
    )
    rater = models.ForeignKey(
        Participant, models.PROTECT, related_name="ratings", verbose_name=_("rater")
    )
    response = models.ForeignKey(
        Response,
        models.PROTECT,
        null=True,
        related_name="ratings",
        verbose_name=_("response"),
        help_text=_("Empty where the rating was made elsewhere."),
    )
    label = models.CharField(_("rating id"), max_length=200, blank=True)
    answers = models.JSONField(_("answers"))
    swapped = models.BooleanField(
        _("sides swapped"), null=True, help_text=_("Empty: the item has no sides.")
    )
    place = models.PositiveSmallIntegerField(
        _("place"), null=True, help_text=_("Among the items that the rater was shown together.")
    )
    accepted_at = models.DateTimeField(_("accepted"), null=True)
    submitted_at = models.DateTimeField(_("submitted"))

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        ordering = ["pk"]
        constraints = [
            # Its index also finds an item's ratings.
            models.UniqueConstraint(fields=["item", "rater"], name="rating_once_per_rater"),
        ]
        indexes = [
            models.Index(fields=["label"], name="rating_label", condition=~models.Q(label="")),
        ]

    def __str__(self) -> str:
        return self.label or f"{_('rating')} {self.pk}"
