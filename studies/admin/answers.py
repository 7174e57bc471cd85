"""A response's answers as rows to read, whatever the task type."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.text import capfirst


@dataclass(frozen=True)
class Sentence:
    text: str
    changed: bool


@dataclass(frozen=True)
class AnswerRow:
    """`sentences` where the answer runs beside the story's sentences, else `text`."""

    name: str
    text: str = ""
    sentences: list[Sentence] = field(default_factory=list)


def answer_rows(answers: Mapping[str, Any], item: Mapping[str, Any]) -> list[AnswerRow]:
    """Each answer under its name in words."""
    story = list(item.get("sentences", []))
    return [_row(capfirst(name.replace("_", " ")), value, story) for name, value in answers.items()]


def _row(name: str, value: Any, story: list[str]) -> AnswerRow:
    if not isinstance(value, list):
        return AnswerRow(name, text=str(value))
    if len(value) == len(story) and all(isinstance(part, str) for part in value):
        pairs = zip(value, story, strict=True)
        return AnswerRow(name, sentences=[Sentence(part, part != old) for part, old in pairs])
    return AnswerRow(name, text=", ".join(str(part) for part in value))
