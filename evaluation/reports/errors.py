"""Error analysis: which errors the incorrect outputs of a system have."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.error_analysis import CORRECT, ERROR
from evaluation.reports.rows import Items
from evaluation.reports.scores import Metric, Score

INCORRECT = "incorrect"


def metrics(declared: Declaration) -> tuple[Metric, ...]:
    """Outputs with an error, and of these the share of each category."""
    return (
        Metric(
            INCORRECT,
            gettext_lazy("Incorrect"),
            gettext_lazy("Outputs with an error."),
            interval=True,
        ),
        *(
            Metric(
                str(option.code),
                option.label.partition(":")[0],
                _("%(category)s. Of the incorrect outputs.") % {"category": option.label},
                interval=True,
            )
            for option in declared.question(ERROR).options
            if option.code != CORRECT
        ),
    )


def scores(items: Items, declared: Declaration, rule: str) -> Iterator[Score]:
    """Experts who differ share an output between them. Both rules agree here."""
    for item in items:
        codes = item.codes(ERROR)
        if not codes:
            continue
        wrong = sum(code != CORRECT for code in codes) / len(codes)
        yield Score(item.system, INCORRECT, (item.pk,), wrong, source=item.group)
        for metric in metrics(declared)[1:] if wrong else ():
            share = codes.count(metric.slug) / len(codes)
            yield Score(item.system, metric.slug, (item.pk,), share, whole=wrong, source=item.group)
