"""Story revision: does the state hold, is the story sound, how little was changed?"""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.reports.rows import Items
from evaluation.reports.scores import Metric, ReportRefused, Score
from evaluation.reports.votes import answers, majority, mean, says_yes

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
    """Raises ReportRefused. Both rules agree here."""
    names = ("inferable", "logical", "degree")
    likely, logical, degree = (declared.question(name) for name in names)
    most = max(int(code) for code in degree.codes)
    if most <= 0:
        raise ReportRefused(_("The scale of “degree” does not rise above 0."))
    for item in items:
        is_likely = majority(says_yes(item, likely))
        is_logical = majority(says_yes(item, logical))
        values = {
            "inferable": is_likely,
            "logical": is_logical,
            "all": is_likely and is_logical,
            "minimal": mean([(most - int(code)) / most for code in answers(item, degree)]),
        }
        for metric, value in values.items():
            yield Score(item.system, metric, (item.pk,), float(value))
