"""What several raters say together."""

from collections.abc import Sequence

from evaluation.instruments.parts import Code, Question


def is_yes(question: Question, code: Code) -> bool:
    """At the question's threshold or above."""
    assert question.threshold is not None
    return int(code) >= question.threshold


def majority(votes: Sequence[bool]) -> bool:
    """More than half of them; a tie is none."""
    return 2 * sum(votes) > len(votes)


def share(votes: Sequence[bool]) -> float:
    return sum(votes) / len(votes)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
