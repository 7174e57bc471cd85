"""What outputs score beside what people wrote: worked out once, kept by a hash of both texts."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

from django.db.models import F
from django.utils.translation import gettext as _

from database.any_of import AnyOf
from evaluation.models import TextScore
from evaluation.reports.rows import Shares, Texts
from modeling.metrics.share import Share
from modeling.metrics.texts import text_scores
from studies.jobs import Watcher

BATCH = 200
Scores = Mapping[Texts, Shares]


def kept_scores(texts: Sequence[Texts]) -> Scores:
    """Of those that were scored."""
    named = {_digest(one): one for one in texts}
    rows = TextScore.objects.filter(AnyOf(F("digest"), named)).values_list("digest", "shares")
    return {
        named[digest]: {metric: Share(*share) for metric, share in shares.items()}
        for digest, shares in rows
    }


def score_texts(texts: Sequence[Texts], progress: Watcher | None = None) -> Scores:
    """Kept as it goes, so that a job that is begun again goes on with the rest."""
    found: dict[Texts, Shares] = {}
    for start in range(0, len(texts), BATCH):
        some = texts[start : start + BATCH]
        scored = {one: text_scores(one.output, one.reference) for one in some}
        TextScore.objects.bulk_create(_rows(scored), ignore_conflicts=True)
        found |= scored
        if progress:
            progress(len(found), len(texts), _("Comparing outputs with what people wrote"))
    return found


def _rows(scored: Scores) -> Iterator[TextScore]:
    for texts, shares in scored.items():
        stored = {metric: list(share) for metric, share in shares.items()}
        yield TextScore(digest=_digest(texts), shares=stored)


def _digest(texts: Texts) -> str:
    return hashlib.sha256(json.dumps([texts.output, texts.reference]).encode()).hexdigest()
