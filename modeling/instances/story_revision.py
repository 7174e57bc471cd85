"""Story revision: change the story so that this state holds. Two instances of a tuple."""

from modeling.instances.instance import BACKWARD, FORWARD, Instance, instance, joined
from modeling.instances.tuples import Tuple


def story_revision(tuple: Tuple) -> list[Instance]:
    return [_instance(tuple, FORWARD), _instance(tuple.turned, BACKWARD)]


def marker(number: int) -> str:
    """What stands before a sentence; T5 knows these as tokens of their own."""
    return f"<extra_id_{number}>"


def _instance(side: Tuple, part: str) -> Instance:
    story = joined([_named(n, sentence) for n, sentence in enumerate(side.story, 1)])
    return instance(
        side.key,
        part,
        f"revise story {story} state: {side.changed_state.strip()}",
        joined([_named(n, side.revised[n - 1]) for n in side.changed]),
        {"story": [*side.story], "state": side.changed_state},
    )


def _named(number: int, sentence: str) -> str:
    return f"{marker(number)}: {sentence.strip()}"
