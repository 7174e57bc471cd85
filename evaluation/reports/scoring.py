"""Compared outputs with what they score: kept, or worked out by whoever has the time."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import ngettext

from evaluation.reports.comparing import Comparison
from evaluation.reports.rows import RatedItem, Texts
from evaluation.reports.scores import ReportRefused
from evaluation.services.text_scores import Scores, kept_scores, score_texts


class NotScored(ReportRefused):
    """Outputs that nobody has scored yet; a job does."""


def scored(comparison: Comparison, *, works_out: bool) -> Comparison:
    """Raises NotScored where something would have to be worked out and `works_out` is not given."""
    texts = _texts(comparison)
    known = kept_scores(texts)
    missing = [one for one in texts if one not in known]
    if missing and not works_out:
        said = ngettext(
            "%(count)s output is not scored yet.",
            "%(count)s outputs are not scored yet.",
            len(missing),
        )
        raise NotScored(said % {"count": f"{len(missing):,}"})
    scores = {**known, **score_texts(missing)}
    return Comparison(_with(comparison.items, scores), _with(comparison.absent, scores))


def unscored(comparison: Comparison) -> list[Texts]:
    texts = _texts(comparison)
    known = kept_scores(texts)
    return [one for one in texts if one not in known]


def _texts(comparison: Comparison) -> list[Texts]:
    """Of those that did not bring their scores, each once."""
    items = [*comparison.items, *comparison.absent]
    return [*dict.fromkeys(i.texts for i in items if i.texts is not None and i.shares is None)]


def _with(items: Sequence[RatedItem], scores: Scores) -> list[RatedItem]:
    return [
        replace(item, shares=scores[item.texts]) if item.texts and item.shares is None else item
        for item in items
    ]
