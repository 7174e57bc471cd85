from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models import Contribution, Story, Study


class Split(models.TextChoices):
    TRAIN = "train", _("training")
    VALIDATION = "validation", _("validation")
    TEST = "test", _("test")


class StorySplit(models.Model):
    """The split in which a study's story stands, from its first release on."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="story_splits")
    story = models.ForeignKey(Story, models.PROTECT, related_name="splits")
    split = models.CharField(_("split"), max_length=10, choices=Split.choices)

    class Meta:
        verbose_name = _("story's split")
        verbose_name_plural = _("stories' splits")
        constraints = [
            models.UniqueConstraint(fields=["study", "story"], name="story_in_one_split"),
            models.CheckConstraint(
                condition=models.Q(split__in=Split.values), name="story_split_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.story} · {self.get_split_display()}"


class Release(models.Model):
    """A frozen dataset. Neither its row nor its rows can be changed or deleted: the database
    refuses."""

    study = models.ForeignKey(
        Study, models.PROTECT, related_name="releases", verbose_name=_("study")
    )
    name = models.SlugField(_("name"), max_length=50)
    seed = models.PositiveBigIntegerField(_("seed"))
    rule = models.JSONField(_("rule"), help_text=_("The ratios, and what a test row has to be."))
    salt = models.CharField(max_length=64, editable=False)
    sha256 = models.CharField(_("hash"), max_length=64)
    statistics = models.JSONField(_("statistics"))
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, verbose_name=_("made by")
    )
    made_at = models.DateTimeField(_("made"))

    class Meta:
        verbose_name = _("release")
        verbose_name_plural = _("releases")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="release_name_once_per_study"),
        ]

    def __str__(self) -> str:
        return f"{self.study} · {self.name}"


class ReleaseRow(models.Model):
    """One accepted contribution of a release. Without a split it is withheld: its story is in the
    test split, and it is no test row itself."""

    release = models.ForeignKey(Release, models.PROTECT, related_name="rows")
    position = models.PositiveIntegerField(_("position"))
    contribution = models.ForeignKey(Contribution, models.PROTECT, related_name="release_rows")
    split = models.CharField(_("split"), max_length=10, choices=Split.choices, blank=True)

    class Meta:
        verbose_name = _("row of a release")
        verbose_name_plural = _("rows of releases")
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "position"], name="release_row_place_once"),
            models.UniqueConstraint(
                fields=["release", "contribution"], name="release_row_contribution_once"
            ),
            models.CheckConstraint(
                condition=models.Q(split__in=["", *Split.values]), name="release_row_split_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release} · {self.position}"
