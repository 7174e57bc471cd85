"""The reports on runs there are."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from evaluation.reports.runs import tables
from evaluation.reports.runs.figures import Line
from evaluation.reports.runs.rows import Answers, Family
from modeling.tasks.registry import TASKS


@dataclass(frozen=True)
class RunsReport:
    """Of each system a row, and one more for each value of `rows`. Its cells are metrics, or by
    `columns` accuracy with contrastive accuracy behind it."""

    name: str
    title: Any
    about: Any
    lines: Callable[[Sequence[Family], Answers], Iterator[Line]]
    tasks: Collection[str]
    rows: str = ""
    columns: str = ""
    digits: int = 2
    # Whether it tells of runs that tried several prompts, and of no others.
    of_tries: bool = False
    # Whether experts must have found types of states first.
    of_types: bool = False


RUNS_REPORTS = {
    report.name: report
    for report in (
        RunsReport(
            "models",
            gettext_lazy("Models"),
            gettext_lazy("Runs by every metric, over all outputs and over what people rated."),
            tables.models,
            TASKS,
            rows="on",
        ),
        RunsReport(
            "ablation",
            gettext_lazy("Inputs"),
            gettext_lazy(
                "State inference with supporting sentences marked, without marks, and from these "
                "sentences alone: accuracy, and contrastive accuracy in brackets."
            ),
            tables.ablation,
            (tables.INFERENCE,),
            columns="input",
        ),
        RunsReport(
            "partitions",
            gettext_lazy("Partitions"),
            gettext_lazy(
                "State inference by the stories that were learnt from and tested on: accuracy, and "
                "contrastive accuracy in brackets."
            ),
            tables.partitions,
            (tables.INFERENCE,),
            rows="train",
            columns="test",
        ),
        RunsReport(
            "state_types",
            gettext_lazy("Types of states"),
            gettext_lazy("State inference by the type that experts found the state to be of."),
            tables.state_types,
            (tables.INFERENCE,),
            rows="type",
            of_types=True,
        ),
        RunsReport(
            "prompts",
            gettext_lazy("Prompts"),
            gettext_lazy(
                "BERTScore of each way to choose examples, by their number, on validation rows. "
                "The best of each run answered its test rows."
            ),
            tables.prompts,
            (tables.REVISION, tables.CHANGE),
            rows="selection",
            columns="examples",
            of_tries=True,
        ),
    )
}
