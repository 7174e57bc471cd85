"""State change: which state holds in one story and no longer in the other? Two instances of a
tuple."""

from modeling.instances.instance import BACKWARD, FORWARD, Instance, instance, joined
from modeling.instances.tuples import Tuple


def state_change(tuple: Tuple) -> list[Instance]:
    return [_instance(tuple, FORWARD), _instance(tuple.turned, BACKWARD)]


def _instance(side: Tuple, part: str) -> Instance:
    return instance(
        side.key,
        part,
        f"change story1: {joined(side.story)} story2: {joined(side.revised)}",
        f"state1: {side.state.strip()} state2: {side.changed_state.strip()}",
        {"story": [*side.story], "revision": [*side.revised]},
    )
