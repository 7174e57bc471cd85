"""Two systems side by side: how often raters preferred which, question by question."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import EQUALLY_BAD, EQUALLY_GOOD, FIRST, SECOND, Kind
from evaluation.reports.rows import Items
from evaluation.reports.scores import Metric, Score

METRICS = tuple(
    Metric(slug, title, about, scale=1, adds=True)
    for slug, title, about in (
        ("wins", gettext_lazy("Wins"), gettext_lazy("Ratings that prefer the system.")),
        ("losses", gettext_lazy("Losses"), gettext_lazy("Ratings that prefer the other one.")),
        (EQUALLY_GOOD, gettext_lazy("Equally good"), gettext_lazy("Ratings that find both good.")),
        (EQUALLY_BAD, gettext_lazy("Equally bad"), gettext_lazy("Ratings that find both bad.")),
    )
)
CODES = {"wins": FIRST, "losses": SECOND}


def scores(items: Items, declared: Declaration, rule: str) -> Iterator[Score]:
    """Counts of ratings. Both rules agree here."""
    for question in declared.questions:
        if question.kind is not Kind.PAIRWISE:
            continue
        for item in items:
            codes = item.codes(question.slug)
            for metric in METRICS if codes else ():
                yield Score(
                    item.system,
                    metric.slug,
                    (item.pk,),
                    codes.count(CODES.get(metric.slug, metric.slug)),
                    weight=len(codes),
                    rival=item.rival,
                    question=question.slug,
                )
