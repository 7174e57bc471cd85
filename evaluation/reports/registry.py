"""The reports there are: their instrument, their numbers, what they can be asked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Kind
from evaluation.reports import (
    automatic,
    errors,
    likert,
    pairwise,
    state_change,
    state_inference,
    story_revision,
)
from evaluation.reports.rows import Items
from evaluation.reports.scores import Metric, Score
from evaluation.reports.texts import COMPARED

RULES = (state_change.PUBLISHED, state_change.TEXT)
AGREEMENT, CORRELATION = "agreement", "correlation"
Scorer = Callable[[Items, Declaration, str], Iterator[Score]]


@dataclass(frozen=True)
class Report:
    """`instruments` it is for, or, where it is for any, the kind of question that it needs.

    `scores` is None for agreement and correlation, which are no sums over items. `rules_differ`
    says whether what was computed and what the paper's text says are two things, `ranks` whether it
    puts systems on one scale, `compares` whether it takes outputs beside what people wrote.
    """

    name: str
    title: Any
    about: Any
    scores: Scorer | None = None
    metrics: Sequence[Metric] | Callable[[Declaration], Sequence[Metric]] = ()
    instruments: tuple[str, ...] = ()
    needs: Kind | None = None
    rules_differ: bool = False
    ranks: bool = False
    compares: bool = False
    digits: int = 2

    def suits(self, declared: Declaration) -> bool:
        if self.instruments:
            return declared.slug in self.instruments
        if self.needs is None:
            return any(question.is_closed for question in declared.questions)
        return any(question.kind is self.needs for question in declared.questions)

    @property
    def takes_expected(self) -> bool:
        """Whether it says what an absent item scores."""
        return not callable(self.metrics) and any(one.absent is not None for one in self.metrics)

    def metrics_of(self, declared: Declaration) -> Sequence[Metric]:
        return self.metrics(declared) if callable(self.metrics) else self.metrics


REPORTS = {
    report.name: report
    for report in (
        Report(
            "state_inference",
            gettext_lazy("State inference"),
            gettext_lazy("Can people tell from the stories which states hold?"),
            state_inference.scores,
            state_inference.METRICS,
            ("state-inference",),
        ),
        Report(
            "story_revision",
            gettext_lazy("Story revision"),
            gettext_lazy("Do revised stories fit their state, are they sound, how much changed?"),
            story_revision.scores,
            story_revision.METRICS,
            ("story-revision", "story-revision-five"),
        ),
        Report(
            "state_change",
            gettext_lazy("State change"),
            gettext_lazy("Do outputs name an unstated attribute that holds in one story alone?"),
            state_change.scores,
            state_change.METRICS,
            ("state-change",),
            rules_differ=True,
        ),
        Report(
            AGREEMENT,
            gettext_lazy("Agreement"),
            gettext_lazy("How far raters agree, question by question, over the chosen systems."),
            digits=3,
        ),
        Report(
            "likert",
            gettext_lazy("Scales"),
            gettext_lazy("Mean points of each scale."),
            likert.scores,
            likert.metrics,
            needs=Kind.LIKERT,
        ),
        Report(
            "pairwise",
            gettext_lazy("Pairs"),
            gettext_lazy("How often which of two systems was preferred."),
            pairwise.scores,
            pairwise.METRICS,
            needs=Kind.PAIRWISE,
            ranks=True,
            digits=0,
        ),
        Report(
            "automatic",
            gettext_lazy("Automatic metrics"),
            gettext_lazy("How near outputs come to what people wrote for the same story."),
            automatic.scores,
            automatic.METRICS,
            COMPARED,
            compares=True,
        ),
        Report(
            "errors",
            gettext_lazy("Errors"),
            gettext_lazy("What experts found wrong: shares of the incorrect outputs."),
            errors.scores,
            errors.metrics,
            ("story-revision-errors", "state-change-errors"),
        ),
        Report(
            CORRELATION,
            gettext_lazy("Metrics and people"),
            gettext_lazy("How far automatic metrics go together with what people find valid."),
            instruments=COMPARED,
            rules_differ=True,
            compares=True,
            digits=4,
        ),
    )
}


class UnknownReport(LookupError):
    pass


def find_report(name: str) -> Report:
    """Raises UnknownReport, naming the ones there are."""
    if name not in REPORTS:
        raise UnknownReport(
            _("There is no report “%(name)s”. Known: %(known)s.")
            % {"name": name, "known": ", ".join(REPORTS)}
        )
    return REPORTS[name]
