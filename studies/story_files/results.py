"""What reading a file gives: stories, what is wrong, what is worth a look."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

PROBLEMS_SHOWN = 20
NOTICES_SHOWN = 1_000


class ParsedStory(NamedTuple):
    """A story as the file has it: text to the letter, one role per sentence ("" where unknown)."""

    row: int
    external_id: str
    title: str
    sentences: tuple[str, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file is refused, and where. Rows count as a spreadsheet counts: the header is row 1."""

    code: str
    message: str
    row: int | None = None
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        where = []
        if self.row is not None:
            row = _("row %(row)d") % {"row": self.row}
            if self.line is not None and self.line != self.row:
                row = _("row %(row)d (line %(line)d)") % {"row": self.row, "line": self.line}
            where.append(row)
        if self.column is not None:
            where.append(_("column %(column)s") % {"column": self.column})
        return f"{capfirst(', '.join(where))}: {self.message}" if where else self.message


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that does not stop the import and that a person should know."""

    code: str
    message: str
    row: int | None = None
    story_id: str | None = None

    def __str__(self) -> str:
        if self.row is None:
            return self.message
        place = _("Row %(row)d, story %(story)s") % {"row": self.row, "story": self.story_id}
        return f"{place}: {self.message}"


@dataclass(frozen=True)
class ParseReport:
    """A file read to its end (or to where reading on made no sense)."""

    file: str
    format: str
    encoding: str
    delimiter: str
    rows: int
    stories: int
    repeated_rows: int
    lengths: dict[int, int]
    unused_fields: tuple[str, ...]
    notices: tuple[Notice, ...]
    notice_count: int
    problems: tuple[Problem, ...]
    problem_count: int

    @property
    def ok(self) -> bool:
        return self.problem_count == 0

    def problem_lines(self) -> list[str]:
        """The problems as sentences that name the file, at most 20, then how many more."""
        return problem_lines(self.file, self.problems, self.problem_count)


def problem_lines(file: str, problems: tuple[Problem, ...], count: int) -> list[str]:
    lines = [f"{file}: {problem}" for problem in problems]
    return lines + _more(count - len(lines))


def notice_lines(notices: tuple[Notice, ...], count: int) -> list[str]:
    lines = [str(notice) for notice in notices]
    return lines + _more(count - len(lines))


def _more(count: int) -> list[str]:
    if count <= 0:
        return []
    return [ngettext("and %(count)s more", "and %(count)s more", count) % {"count": f"{count:,}"}]


@dataclass
class Findings:
    """Collects problems and notices while a file is read; keeps a bounded number, counts all."""

    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    notices: list[Notice] = field(default_factory=list)
    notice_count: int = 0
    lengths: Counter[int] = field(default_factory=Counter)

    def problem(
        self,
        code: str,
        message: str,
        *,
        row: int | None = None,
        line: int | None = None,
        column: str | None = None,
    ) -> None:
        self.problem_count += 1
        if len(self.problems) < PROBLEMS_SHOWN:
            self.problems.append(Problem(code, message, row=row, line=line, column=column))

    def notice(
        self, code: str, message: str, *, row: int | None = None, story_id: str | None = None
    ) -> None:
        self.notice_count += 1
        if len(self.notices) < NOTICES_SHOWN:
            self.notices.append(Notice(code, message, row=row, story_id=story_id))
