"""State change: is each state of an output an attribute, unstated, and true of its story alone?"""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.reports.rows import Items, RatedItem, grouped
from evaluation.reports.scores import Metric, ReportRefused, Score
from evaluation.reports.votes import answers, majority, mean, says_yes, share

IN_NEITHER = 0
# Which of the two questions asks about the story that a state belongs to.
OWN_AND_OTHER = {
    "state": ("inferable_s", "inferable_s_prime"),
    "mod_state": ("inferable_s_prime", "inferable_s"),
}
PUBLISHED, TEXT = "published", "text"
METRICS = (
    Metric(
        "attribute",
        gettext_lazy("Attribute"),
        gettext_lazy("States that a majority takes for an attribute."),
        absent=0,
    ),
    Metric(
        "inferable",
        gettext_lazy("Inferable"),
        gettext_lazy(
            "Found likely for its own story less found likely for the other. Published: shares of "
            "raters, which may fall below 0. Text: majorities, and never below 0."
        ),
        absent=0,
    ),
    Metric(
        "not_in_story",
        gettext_lazy("Not in story"),
        gettext_lazy("States that a majority finds stated in neither story."),
        absent=0,
    ),
    Metric(
        "all",
        gettext_lazy("All"),
        gettext_lazy("The three multiplied."),
        absent=0,
    ),
)


def scores(items: Items, declared: Declaration, rule: str) -> Iterator[Score]:
    """One score for each output: the mean over its states. Raises ReportRefused."""
    for output in grouped(items):
        states = [score_state(item, declared, rule) for item in output]
        for metric in METRICS:
            yield Score(
                output[0].system,
                metric.slug,
                tuple(item.pk for item in output),
                mean([state[metric.slug] for state in states]),
            )


def score_state(item: RatedItem, declared: Declaration, rule: str) -> dict[str, float]:
    """What one state scores by each metric. Raises ReportRefused."""
    if item.part not in OWN_AND_OTHER:
        raise ReportRefused(
            _("Item %(item)s does not say which state of its output it shows.") % {"item": item.pk}
        )
    attribute = majority(says_yes(item, declared.question("attribute")))
    stated = answers(item, declared.question("in_story"))
    unstated = majority([code == IN_NEITHER for code in stated])
    own, other = (says_yes(item, declared.question(slug)) for slug in OWN_AND_OTHER[item.part])
    inferable = (
        share(own) - share(other)
        if rule == PUBLISHED
        else float(max(0, majority(own) - majority(other)))
    )
    return {
        "attribute": float(attribute),
        "inferable": inferable,
        "not_in_story": float(unstated),
        "all": attribute * unstated * inferable,
    }
