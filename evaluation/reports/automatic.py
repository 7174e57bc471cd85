"""How near outputs come to what people wrote, by automatic metrics."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.reports.rows import Items, RatedItem, Shares
from evaluation.reports.scores import Metric, Score
from modeling.metrics.rouge import ROUGE_L, ROUGE_LSUM
from modeling.metrics.texts import BERTSCORE, EXACT, GLEU

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
        BERTSCORE,
        "BERTScore",
        gettext_lazy("Likeness of the words' vectors (F1): of systems whose runs worked it out."),
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
    """Both rules agree here. An expected output that is absent left the story as it was.

    A metric that only some outputs of a system have, says nothing of it and is left out.
    """
    by_system: dict[str, list[RatedItem]] = {}
    for item in items:
        by_system.setdefault(item.system, []).append(item)
    for system, outputs in by_system.items():
        metrics = of_all(outputs)
        for item in outputs:
            pks, shares = (item.pk,) if item.ratings else (), item_scores(item)
            for slug in metrics:
                part, whole = shares[slug].part, shares[slug].whole
                yield Score(system, slug, pks, part, whole=whole, source=item.group)


def of_all(items: Items) -> list[str]:
    """The metrics that each of them has."""
    scored = [item_scores(item) for item in items]
    return [one.slug for one in METRICS if all(one.slug in shares for shares in scored)]


def item_scores(item: RatedItem) -> Shares:
    """BERTScore, which needs PyTorch, only where its run has worked it out."""
    assert item.shares is not None
    return {one.slug: item.shares[one.slug] for one in METRICS if one.slug in item.shares}
