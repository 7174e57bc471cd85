from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from evaluation.instruments.as_data import declaration_from
from evaluation.instruments.declaration import Declaration


class InstrumentQuerySet(models.QuerySet["Instrument"]):
    def newest(self) -> "InstrumentQuerySet":
        """The newest version of each."""
        return self.order_by("slug", "-version").distinct("slug")


class Instrument(models.Model):
    """One version of the questions asked about a model output.

    A version is never edited, the database refuses; and what an item was rated with stays.
    """

    slug = models.SlugField(_("short name"), max_length=50)
    version = models.PositiveSmallIntegerField(_("version"), default=1)
    title = models.CharField(_("title"), max_length=200)
    declaration = models.JSONField(_("declaration"))
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        verbose_name=_("made by"),
        help_text=_("Empty: it came with the house."),
    )
    made_at = models.DateTimeField(_("made"), auto_now_add=True)

    objects = InstrumentQuerySet.as_manager()

    class Meta:
        verbose_name = _("instrument")
        verbose_name_plural = _("instruments")
        ordering = ["slug", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["slug", "version"], name="instrument_version_once"),
            models.CheckConstraint(
                condition=models.Q(version__gte=1), name="instrument_version_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} · {self.version}"

    @property
    def declared(self) -> Declaration:
        return declaration_from(self.declaration)
