"""State inference: do raters find likely what is so, and unlikely what is not?"""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.reports.rows import Items, RatedItem, grouped
from evaluation.reports.scores import Metric, ReportRefused, Score
from evaluation.reports.votes import majority, says_yes

QUESTION = "inferable"
# Of the four items of a tuple, those that show its changed story.
CHANGED_STORY = "mod_story"
METRICS = (
    Metric(
        "accuracy",
        gettext_lazy("Accuracy"),
        gettext_lazy(
            "Items whose majority is right: likely or above where the state holds, below where it "
            "does not. An absent item is wrong."
        ),
        absent=0,
    ),
    Metric(
        "contrastive",
        gettext_lazy("Contrastive"),
        gettext_lazy("Stories for which the majority is right about both states."),
        absent=0,
        unit=2,
    ),
)


def scores(items: Items, declared: Declaration, rule: str) -> Iterator[Score]:
    """Raises ReportRefused. Both rules agree here."""
    question = declared.question(QUESTION)

    def is_right(item: RatedItem) -> bool:
        if QUESTION not in item.gold:
            raise ReportRefused(_("Item %(item)s has no gold answer.") % {"item": item.pk})
        holds = bool(item.gold[QUESTION])
        return majority([finds == holds for finds in says_yes(item, question)])

    for item in items:
        yield Score(item.system, "accuracy", (item.pk,), is_right(item))
    for pair in grouped(items, _shows_changed_story):
        if len({bool(item.gold[QUESTION]) for item in pair}) == len(pair) == 2:
            yield Score(
                pair[0].system,
                "contrastive",
                tuple(item.pk for item in pair),
                all(is_right(item) for item in pair),
            )


def _shows_changed_story(item: RatedItem) -> bool:
    return item.part.startswith(CHANGED_STORY)
