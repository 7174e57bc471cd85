"""State change: an output names a state of each of two stories."""

import re
from dataclasses import dataclass
from typing import Any

from modeling.instances import state_change
from modeling.metrics.texts import METRICS, text_scores
from modeling.tasks.raw import clean
from modeling.tasks.task import Fields, ModelTask, Scored, Texts

STATE, MOD_STATE = "state", "mod_state"
_STATES = re.compile(r"state\s*1\s*:(.*?)state\s*2\s*:(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class States:
    """The first pair of states that the output names; both are empty where it names none.
    `before` stood before them."""

    state: str
    changed_state: str
    before: str = ""

    @property
    def problems(self) -> dict[str, Any]:
        found = {"unreadable": True} if not (self.state or self.changed_state) else {}
        return found | ({"before": self.before} if self.before else {})


def read_states(output: str) -> States:
    text = clean(output)
    found = _STATES.search(text)
    if found is None:
        return States("", "", text)
    return States(found[1].strip(), found[2].strip(), text[: found.start()].strip())


def score(fields: Fields, output: str, target: str) -> Scored:
    """Each state against the one that people wrote."""
    found = read_states(output)
    shares = {part: text_scores(*pair) for part, pair in texts(fields, output, target).items()}
    read = {STATE: found.state, MOD_STATE: found.changed_state}
    return Scored(shares, read, found.problems)


def texts(fields: Fields, output: str, target: str) -> Texts:
    found, wanted = read_states(output), read_states(target)
    return {
        STATE: (found.state, wanted.state),
        MOD_STATE: (found.changed_state, wanted.changed_state),
    }


TASK = ModelTask("state-change", state_change, score, METRICS, texts)
