"""Story revision: does the state hold, is the story sound, how little was changed?"""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.reports.rows import Items
from evaluation.reports.scores import Metric, Score
from evaluation.reports.votes import is_yes, majority, mean

METRICS = (
    Metric(
        "inferable",
        gettext_lazy("Inferable"),
        gettext_lazy("Revisions of which a majority finds the state likely or above."),
        absent=0,
    ),
    Metric(
        "logical",
        gettext_lazy("Logical"),
        gettext_lazy("Revisions that a majority finds logically correct."),
        absent=0,
    ),
    Metric(
        "all",
        gettext_lazy("Both"),
        gettext_lazy("Revisions that are both by their majorities."),
        absent=0,
    ),
    Metric(
        "minimal",
        gettext_lazy("Minimal revision"),
        gettext_lazy(
            "How far the revision is from an entirely new story, from 0 to 100, on average over "
            "raters. An absent revision left the story as it was: 100, and 0 in the others."
        ),
        absent=1,
    ),
)


def scores(items: Items, declared: Declaration, rule: str) -> Iterator[Score]:
    """Both rules agree here."""
    likely, logical = declared.question("inferable"), declared.question("logical")
    most = max(int(code) for code in declared.question("degree").codes)
    for item in items:
        is_likely = majority([is_yes(likely, code) for code in item.codes("inferable")])
        is_logical = majority([is_yes(logical, code) for code in item.codes("logical")])
        values = {
            "inferable": is_likely,
            "logical": is_logical,
            "all": is_likely and is_logical,
            "minimal": mean([(most - int(code)) / most for code in item.codes("degree")]),
        }
        for metric, value in values.items():
            yield Score(item.system, metric, (item.pk,), float(value))
