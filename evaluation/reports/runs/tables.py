"""The tables: models by metric, inputs, partitions, types of states, prompts."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from evaluation.instruments.error_analysis import STATE_TYPE, STATE_TYPES
from evaluation.reports.runs.figures import SCALE, Line, lines_of
from evaluation.reports.runs.rows import Answer, Answers, Family, Tried
from modeling.instances.state_inference import PARTITIONS, REVISED
from modeling.metrics.contrast import ACCURACY, CONTRASTIVE
from modeling.metrics.texts import BERTSCORE
from modeling.tasks.registry import TASKS

INFERENCE, REVISION, CHANGE = "state-inference", "story-revision", "state-change"
BOTH = (ACCURACY, CONTRASTIVE)
ALL, RATED = "all", "rated"


def models(families: Sequence[Family], answers: Answers) -> Iterator[Line]:
    """Every metric of each family, over all outputs and over those whose inputs people rated."""
    for family in families:
        given = _of(family, answers)
        rated = [one for one in given if one.is_rated]
        for name, subset in ((ALL, given), (RATED, rated)):
            yield from lines_of(
                family, family.label(), subset, TASKS[family.task].metrics, {"on": name}
            )


def ablation(families: Sequence[Family], answers: Answers) -> Iterator[Line]:
    """State inference by what of the story was shown."""
    for family in _inference(families):
        given, place = _of(family, answers), {"input": family.input}
        yield from lines_of(family, family.label("input"), given, BOTH, place)


def partitions(families: Sequence[Family], answers: Answers) -> Iterator[Line]:
    """State inference by the stories it was learnt from and those it was tested on."""
    for family in _inference(families):
        given = _of(family, answers)
        for test in PARTITIONS:
            subset = [one for one in given if test in {_partition(one), "both"}]
            place = {"train": family.partition, "test": test}
            yield from lines_of(family, family.label("partition"), subset, BOTH, place)


def state_types(families: Sequence[Family], answers: Answers) -> Iterator[Line]:
    """State inference by the type that experts found the state to be of."""
    for family in _inference(families):
        given = _of(family, answers)
        for code in STATE_TYPES.question(STATE_TYPE).codes:
            subset = [one for one in given if one.state_type == code]
            yield from lines_of(family, family.label(), subset, BOTH, {"type": str(code)})


def prompts(families: Sequence[Family], _answers: Answers) -> Iterator[Line]:
    """What each way of prompting scored on validation rows, and how many seeds kept it."""
    # Slow to import, and most commands have no use for it.
    from stats.means import spread

    for family in families:
        cells: dict[tuple[str, int], list[Tried]] = defaultdict(list)
        for one in family.tried:
            cells[one.selection, one.examples].append(one)
        for (selection, examples), tried in cells.items():
            over_seeds = spread([one.bertscore for one in tried])
            assert over_seeds.mean is not None
            kept = sum(one.is_kept for one in tried)
            yield Line(
                family=family,
                system=family.label(),
                place={"selection": selection, "examples": str(examples), "kept": str(kept)},
                metric=BERTSCORE,
                value=SCALE * over_seeds.mean,
                sd=None if over_seeds.sd is None else SCALE * over_seeds.sd,
                interval=None,
                n=max(one.rows for one in tried),
            )


def _inference(families: Sequence[Family]) -> Iterator[Family]:
    return (family for family in families if family.task == INFERENCE)


def _of(family: Family, answers: Answers) -> list[Answer]:
    return [one for one in answers if one.run in family.runs]


def _partition(answer: Answer) -> str:
    return "revised" if answer.part.startswith(REVISED) else "original"
