"""Story revision: an output names the sentences that it changes, the others stay."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from modeling.instances import story_revision
from modeling.metrics.texts import METRICS, on_lines, text_scores
from modeling.tasks.raw import clean
from modeling.tasks.task import Fields, ModelTask, Scored, Texts

REVISION = "revision"
# Longer numbers are text: no story has such a sentence, and thousands of digits cannot be read.
_MARKER = re.compile(r"<\s*extra_id_(\d{1,9})\s*>\s*:?")


@dataclass(frozen=True)
class Revision:
    """The story with its named sentences replaced.

    `unknown` markers name no sentence of it; of `repeated` ones the first counts; `blank` ones had
    nothing after them, and their sentence stays; `before` stood before the first marker.
    """

    sentences: tuple[str, ...]
    unknown: tuple[int, ...] = ()
    repeated: tuple[int, ...] = ()
    blank: tuple[int, ...] = ()
    before: str = ""

    @property
    def problems(self) -> dict[str, Any]:
        found = {name: value for name, value in vars(self).items() if name != "sentences"}
        return {
            name: [*value] if isinstance(value, tuple) else value
            for name, value in found.items()
            if value
        }


def read_revision(output: str, story: Sequence[str]) -> Revision:
    before, *rest = _MARKER.split(clean(output))
    sentences = dict(enumerate(story, 1))
    named: set[int] = set()
    unknown, repeated, blank = [], [], []
    for number, text in zip(map(int, rest[::2]), map(str.strip, rest[1::2]), strict=True):
        if number not in sentences:
            unknown.append(number)
        elif number in named:
            repeated.append(number)
        elif not text:
            blank.append(number)
        else:
            named.add(number)
            sentences[number] = text
    return Revision(
        tuple(sentences.values()), tuple(unknown), tuple(repeated), tuple(blank), before.strip()
    )


def score(fields: Fields, output: str, target: str) -> Scored:
    """The whole revised story against the one that people wrote."""
    found = read_revision(output, fields["story"])
    shares = {part: text_scores(*pair) for part, pair in texts(fields, output, target).items()}
    return Scored(shares, {REVISION: [*found.sentences]}, found.problems)


def texts(fields: Fields, output: str, target: str) -> Texts:
    found, wanted = (read_revision(text, fields["story"]) for text in (output, target))
    return {REVISION: (on_lines(found.sentences), on_lines(wanted.sentences))}


TASK = ModelTask("story-revision", story_revision, score, METRICS, texts)
