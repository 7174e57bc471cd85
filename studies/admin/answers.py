"""A response's answers as rows to read, whatever the task type."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.text import capfirst

from studies import task_types


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


def answer_rows(
    answers: Mapping[str, Any], item: Mapping[str, Any], task_type: str
) -> list[AnswerRow]:
    """Each answer under its name in words, in the order in which the page asks for them."""
    story = list(item.get("sentences", []))
    order = _asked_in_order(item, task_type)
    names = sorted(answers, key=lambda name: (_place(name, order), name))
    words = _words_of(task_type)
    return [_row(_in_words(name, words), answers[name], story) for name in names]


def _words_of(task_type: str) -> Mapping[str, Any]:
    try:
        return task_types.get(task_type).answer_names
    except task_types.UnknownTaskType:
        return {}


def _in_words(name: str, words: Mapping[str, Any]) -> str:
    """An answer that no task type here knows is called as in its file."""
    return str(words.get(name) or capfirst(name.replace("_", " ")))


def _asked_in_order(item: Mapping[str, Any], task_type: str) -> list[str]:
    try:
        return list(task_types.get(task_type).form_class(item=item).fields)
    except task_types.UnknownTaskType:
        return []


def _place(name: str, order: list[str]) -> int:
    """Of the field of that name, or of the first of a row of fields (revision_1, revision_2)."""
    places = (place for place, field in enumerate(order) if field in {name, f"{name}_1"})
    return next(places, len(order))


def _row(name: str, value: Any, story: list[str]) -> AnswerRow:
    if not isinstance(value, list):
        return AnswerRow(name, text=str(value))
    if len(value) == len(story) and all(isinstance(part, str) for part in value):
        pairs = zip(value, story, strict=True)
        return AnswerRow(name, sentences=[Sentence(part, part != old) for part, old in pairs])
    return AnswerRow(name, text=", ".join(str(part) for part in value))
