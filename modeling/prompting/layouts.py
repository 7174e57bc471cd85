"""How a prompt is laid out: examples with what is right, then what is asked, open."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from modeling.instances import Instance
from modeling.instances.instance import joined
from modeling.instances.story_revision import marker
from modeling.tasks.state_change import read_states
from modeling.tasks.story_revision import read_revision
from studies.story_files.sentences import split_sentences

BETWEEN = "\n\n"


@dataclass(frozen=True)
class Layout:
    """`given` and `right` are the parts of an example, each on lines of its own; `label` opens what
    is asked. An answer goes to the first `end`; `read` makes of it what a fine-tuned model would
    have put out."""

    given: Callable[[Instance], str]
    label: str
    right: Callable[[Instance], str]
    read: Callable[[Instance, str], str]
    end: str = BETWEEN

    def prompt(self, examples: Sequence[Instance], asked: Instance) -> str:
        shown = [f"{self.given(one)}\n{self.label} {self.right(one)}" for one in examples]
        return BETWEEN.join([*shown, f"{self.given(asked)}\n{self.label}"])

    def output(self, asked: Instance, answer: str) -> str:
        answer = answer.strip().removeprefix(self.label).strip()
        return self.read(asked, answer.split(self.end)[0].strip())


def _revision_given(one: Instance) -> str:
    return f"Story: {joined(one.fields['story'])}\nState: {one.fields['state'].strip()}"


def _revision_right(one: Instance) -> str:
    return joined(read_revision(one.target, one.fields["story"]).sentences)


def _revision_read(asked: Instance, answer: str) -> str:
    """Sentences that differ, by their number. What an answer has beyond the story's length belongs
    to the last sentence."""
    story = [sentence.strip() for sentence in asked.fields["story"]]
    found = split_sentences(re.sub(r"\s+", " ", answer)) if answer else []
    if len(found) > len(story):
        found = [*found[: len(story) - 1], joined(found[len(story) - 1 :])]
    return joined(
        [
            f"{marker(number)}: {new}"
            for number, (old, new) in enumerate(zip(story, found, strict=False), 1)
            if old != new
        ]
    )


def _change_given(one: Instance) -> str:
    stories = one.fields["story"], one.fields["revision"]
    return "\n".join(f"Story {n}: {joined(story)}" for n, story in enumerate(stories, 1))


def _change_right(one: Instance) -> str:
    states = read_states(one.target)
    return f"{states.state}\nState 2: {states.changed_state}"


def _change_read(asked: Instance, answer: str) -> str:
    return f"state1: {answer}"


LAYOUTS: dict[str, Layout] = {
    "story-revision": Layout(
        _revision_given, "Revised story:", _revision_right, _revision_read, end="\n"
    ),
    "state-change": Layout(_change_given, "State 1:", _change_right, _change_read),
}
