"""State inference: does this state hold in this story? Four instances of a tuple."""

from collections.abc import Iterator
from typing import Literal, get_args

from modeling.instances.instance import Instance, instance, joined
from modeling.instances.tuples import Tuple

Input = Literal["marked", "story", "justification"]
Partition = Literal["original", "revised", "both"]
INPUTS: tuple[Input, ...] = get_args(Input)
PARTITIONS: tuple[Partition, ...] = get_args(Partition)
TRUE, FALSE = "true", "false"
MARK = "* "
# Of the four parts, those over the revised story.
REVISED = "mod_story_"


def state_inference(
    tuple: Tuple, *, input: Input = "marked", partition: Partition = "both"
) -> list[Instance]:
    """`input`: the story with its supporting sentences marked, without marks, or these sentences
    alone. `partition`: about the story, about its revision, or both."""
    turned = tuple.turned
    sides = {
        "original": [
            _instance(tuple, "story_state", tuple.state, input, holds=True),
            _instance(tuple, "story_mod_state", tuple.changed_state, input, holds=False),
        ],
        "revised": [
            _instance(turned, f"{REVISED}state", tuple.state, input, holds=False),
            _instance(turned, f"{REVISED}mod_state", tuple.changed_state, input, holds=True),
        ],
    }
    return [one for side in sides if partition in {side, "both"} for one in sides[side]]


def _instance(side: Tuple, part: str, state: str, input: Input, *, holds: bool) -> Instance:
    text = f"infer_state story: {joined(list(_sentences(side, input)))} state: {state.strip()}"
    fields = {"story": [*side.story], "state": state, "marked": [*side.justification]}
    if input == "story":
        del fields["marked"]
    return instance(side.key, part, text, TRUE if holds else FALSE, fields)


def _sentences(side: Tuple, input: Input) -> Iterator[str]:
    for number, sentence in enumerate(side.story, 1):
        supports = number in side.justification
        if input == "marked" and supports:
            yield MARK + sentence.strip()
        elif input != "justification" or supports:
            yield sentence
