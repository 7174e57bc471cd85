"""The layouts that story files come in."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from django.utils.translation import gettext_lazy

from studies.story_files.sentences import split_sentences


class Draft(NamedTuple):
    """A story on its way in. `columns` names the source of id, title and each sentence.

    `counted` of its sentences stand against the `expected` ones.
    """

    external_id: str
    title: str
    sentences: tuple[str, ...]
    roles: tuple[str, ...]
    columns: Sequence[str]
    counted: int
    expected: int


@dataclass(frozen=True)
class TableFormat:
    """One story a row, one sentence a column: `fixed` of them, else as many as the header has."""

    name: str
    id_column: str
    title_column: str
    stem: str
    # What the columns of such a table are, where one is missing.
    needs: Any
    fixed: int | None = None

    def columns_needed(self, columns: list[str]) -> list[str]:
        """Id, title and sentence columns that a file with these columns should have."""
        numbers = [self._number(column) for column in columns]
        last = self.fixed or max([2, *numbers])
        # A header such as line1,line9999999 must not be answered with ten million names.
        last = min(last, 2 * len(columns) + 2) if self.fixed is None else last
        return [
            self.id_column,
            self.title_column,
            *(f"{self.stem}{number}" for number in range(1, last + 1)),
        ]

    def draft(self, cells: Sequence[str], columns: Sequence[str]) -> Draft:
        """The story in the cells of `columns_needed`; `columns` are their names in the file."""
        external_id, title, *sentences = cells
        if self.fixed is None:
            # A story shorter than the longest one leaves its last cells empty: any count from 2
            # is usual.
            while len(sentences) > 1 and not sentences[-1]:
                sentences.pop()
        return Draft(
            external_id=external_id,
            title=title,
            sentences=tuple(sentences),
            roles=("",) * len(sentences),
            columns=columns,
            counted=len(sentences),
            expected=self.fixed or max(2, len(sentences)),
        )

    def recognised_in(self, columns: list[str]) -> int:
        """How many of the columns are this format's."""
        own = {self.id_column}
        return sum(column in own or self._number(column) > 0 for column in columns)

    def names(self) -> set[str]:
        return {self.id_column, self.title_column, f"{self.stem}1", f"{self.stem}2"}

    def _number(self, column: str) -> int:
        match = re.fullmatch(rf"{self.stem}([1-9]\d{{0,6}})", column)
        return int(match[1]) if match else 0


class RecordFormat(ABC):
    """One JSON object a row."""

    name: ClassVar[str]
    # Text fields that a row must have, and those of them that make the format known.
    fields: ClassVar[tuple[str, ...]]
    signature: ClassVar[frozenset[str]]

    @abstractmethod
    def compose(self, record: Mapping[str, Any]) -> Draft:
        """A record whose `fields` are known to be text."""


class PastaRecords(RecordFormat):
    """Published state annotations: one row an annotation, up to three a story."""

    name = "pasta-jsonl"
    lines = tuple(f"Input.line{number}" for number in range(1, 6))
    fields = ("Input.storyid", "Input.Title", *lines)
    signature = frozenset({"Input.storyid", "Input.line1"})

    def compose(self, record: Mapping[str, Any]) -> Draft:
        return Draft(
            external_id=record["Input.storyid"],
            title=record["Input.Title"],
            sentences=tuple(record[line] for line in self.lines),
            roles=("",) * 5,
            columns=self.fields,
            counted=5,
            expected=5,
        )


class PossibleStoriesRecords(RecordFormat):
    """A story of four sentences as one string, and its original ending."""

    name = "possible-stories-jsonl"
    fields = ("roc_passage_id", "story", "original_ending")
    signature = frozenset({"roc_passage_id"})

    def compose(self, record: Mapping[str, Any]) -> Draft:
        sentences = split_sentences(record["story"]) or [record["story"]]
        return Draft(
            external_id=record["roc_passage_id"],
            title="",
            sentences=(*sentences, record["original_ending"]),
            roles=("sentence",) * len(sentences) + ("ending",),
            columns=("roc_passage_id", "", *["story"] * len(sentences), "original_ending"),
            counted=len(sentences),
            expected=4,
        )


class TimeTravelRecords(RecordFormat):
    """Premise, initial event, and an ending of three sentences as one string."""

    name = "timetravel-jsonl"
    fields = ("story_id", "premise", "initial", "original_ending")
    signature = frozenset({"premise", "initial"})

    def compose(self, record: Mapping[str, Any]) -> Draft:
        endings = split_sentences(record["original_ending"]) or [record["original_ending"]]
        return Draft(
            external_id=record["story_id"],
            title="",
            sentences=(record["premise"], record["initial"], *endings),
            roles=("premise", "initial") + ("ending",) * len(endings),
            columns=("story_id", "", "premise", "initial", *["original_ending"] * len(endings)),
            counted=2 + len(endings),
            expected=5,
        )


TABLE_FORMATS = (
    TableFormat(
        *("roc-csv", "storyid", "storytitle", "sentence"),
        gettext_lazy("ROCStories have storyid, storytitle, sentence1 to sentence5."),
        fixed=5,
    ),
    TableFormat(
        *("csv", "story_id", "title", "line"),
        gettext_lazy(
            "Stories of your own need story_id, title, line1, line2 and so on: a column for"
            " each sentence of the longest story, and never fewer than two."
        ),
    ),
)
RECORD_FORMATS: tuple[RecordFormat, ...] = (
    PastaRecords(),
    PossibleStoriesRecords(),
    TimeTravelRecords(),
)
AUTO = "auto"
FORMAT_NAMES = (AUTO, *(f.name for f in TABLE_FORMATS), *(f.name for f in RECORD_FORMATS))
