from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.study import Study


class Story(models.Model):
    """An ordered list of sentences with a title and a source.

    `roles` runs beside `sentences`: "" where the format knows none, else premise, initial, ending
    or sentence.
    """

    # The unique constraint's index begins with it.
    study = models.ForeignKey(
        Study, models.PROTECT, related_name="stories", db_index=False, verbose_name=_("study")
    )
    external_id = models.CharField(_("story id"), max_length=200)
    title = models.CharField(_("title"), max_length=500, blank=True)
    source = models.CharField(_("source"), max_length=200, blank=True)
    sentences = ArrayField(models.TextField(), verbose_name=_("sentences"))
    roles = ArrayField(models.CharField(max_length=20, blank=True), verbose_name=_("roles"))
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("story")
        verbose_name_plural = _("stories")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "external_id"], name="story_id_once_per_study"
            ),
            models.CheckConstraint(
                condition=models.Q(sentences__len=models.F("roles__len")),
                name="story_one_role_per_sentence",
            ),
            models.CheckConstraint(
                condition=models.Q(sentences__len__gte=1), name="story_has_sentences"
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.external_id
