"""How near outputs come to what people wrote, by automatic metrics."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.reports.rows import Items, RatedItem, Shares
from evaluation.reports.scores import Metric, Score
from modeling.metrics.rouge import ROUGE_L, ROUGE_LSUM
from modeling.metrics.texts import EXACT, GLEU

METRICS = (
    Metric(
        GLEU,
        "GLEU",
        gettext_lazy("Runs of one to four words shared with the reference, all outputs together."),
        absent=0,
        interval=True,
    ),
    Metric(
        ROUGE_L,
        "ROUGE-L",
        gettext_lazy("The longest common subsequence of words (F1), not stemmed."),
        absent=0,
        interval=True,
    ),
    Metric(
        ROUGE_LSUM,
        "ROUGE-Lsum",
        gettext_lazy("The same sentence by sentence, where sentences are known."),
        absent=0,
        interval=True,
    ),
    Metric(
        EXACT,
        gettext_lazy("Exact"),
        gettext_lazy("Outputs that are the reference, but for spaces."),
        absent=0,
        interval=True,
    ),
)


def scores(items: Items, declared: Declaration, rule: str) -> Iterator[Score]:
    """Both rules agree here. An expected output that is absent left the story as it was."""
    for item in items:
        pks = (item.pk,) if item.ratings else ()
        for metric, share in item_scores(item).items():
            yield Score(item.system, metric, pks, share.part, whole=share.whole, source=item.group)


def item_scores(item: RatedItem) -> Shares:
    assert item.shares is not None
    return {metric.slug: item.shares[metric.slug] for metric in METRICS}
