"""State inference: one word, true or false."""

import re

from modeling.instances import state_inference
from modeling.instances.state_inference import FALSE, TRUE
from modeling.metrics.contrast import ACCURACY, CONTRASTIVE
from modeling.metrics.share import Share
from modeling.tasks.raw import clean
from modeling.tasks.task import Fields, ModelTask, Scored

ANSWER = "answer"
_WORD = re.compile(r"\w+")


def read_answer(output: str) -> str | None:
    """`true`, `false`, or None where the output begins with another word."""
    word = _WORD.search(clean(output).casefold())
    return word[0] if word and word[0] in {TRUE, FALSE} else None


def score(fields: Fields, output: str, target: str) -> Scored:
    """An answer that cannot be read is wrong."""
    answer = read_answer(output)
    right = Share(float(answer == target))
    problems = {"unreadable": True} if answer is None else {}
    return Scored({ANSWER: {ACCURACY: right}}, {ANSWER: answer}, problems)


TASK = ModelTask(
    "state-inference", state_inference, score, (ACCURACY, CONTRASTIVE), has_variants=True
)
