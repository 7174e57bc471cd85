"""Stories come in: a file is read as a stream, then stored whole or not at all."""

import tempfile
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Story, Study
from studies.services.story_matching import compare, judge
from studies.services.story_storing import Progress, copy, spool_stories
from studies.services.table_statistics import refresh_statistics
from studies.story_files import AUTO, Notice, ParseReport, Problem, StoryReading
from studies.story_files.results import PROBLEMS_SHOWN, notice_lines, problem_lines


@dataclass(frozen=True)
class StoryImport:
    """What an import did, or with `dry_run` would do. With problems it did nothing."""

    parsed: ParseReport
    dry_run: bool
    added: int
    unchanged: int
    notices: tuple[Notice, ...]
    notice_count: int
    problems: tuple[Problem, ...]
    problem_count: int

    @property
    def ok(self) -> bool:
        return self.problem_count == 0

    def problem_lines(self) -> list[str]:
        return problem_lines(self.parsed.file, self.problems, self.problem_count)

    def notice_lines(self) -> list[str]:
        return notice_lines(self.notices, self.notice_count)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the report of the command and of the job's page."""
        parsed = self.parsed
        return {
            "ok": self.ok,
            "dry_run": self.dry_run,
            "file": parsed.file,
            "format": parsed.format,
            "encoding": parsed.encoding,
            "rows": parsed.rows,
            "stories": parsed.stories,
            "repeated_rows": parsed.repeated_rows,
            "sentence_counts": {str(count): n for count, n in parsed.lengths.items()},
            "added": self.added,
            "unchanged": self.unchanged,
            "unused_fields": list(parsed.unused_fields),
            "warnings": self.notice_lines(),
            "warning_count": self.notice_count,
            "problems": self.problem_lines(),
            "problem_count": self.problem_count,
        }


def import_stories(
    *,
    study: Study,
    source: BinaryIO,
    name: str,
    format: str = AUTO,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> StoryImport:
    """Add the stories of a file to a study: all of them, or none when anything is wrong.

    Stories that are there already with the same text are left alone, so a second run changes
    nothing. The file is read before the transaction begins; imports into one study store one after
    another. `progress` is told bytes read, bytes in all, and a sentence; what it raises stops the
    import with nothing stored.
    """
    with tempfile.TemporaryFile() as spool:
        reading = StoryReading(source, name=name, format=format)
        tell = progress or _unwatched
        spool_stories(reading, spool, study, tell)
        report = reading.report()
        if not report.ok:
            return _outcome(report, dry_run=dry_run)
        if not dry_run:
            tell(report.stories, report.stories, _("Storing the stories"))
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            unchanged, differing = compare(study, reading.gate.seen)
            notices, problems = judge(study, source, report, differing)
            unchanged |= differing.keys()
            if not problems and not dry_run and len(unchanged) < report.stories:
                copy(spool, reading.gate.seen, unchanged)
                refresh_statistics(Story, added=report.stories - len(unchanged))
    return _outcome(
        report,
        dry_run=dry_run,
        unchanged=len(unchanged),
        notices=notices,
        problems=problems,
    )


def _unwatched(done: int, total: int | None, message: str) -> None:
    pass


def _outcome(
    report: ParseReport,
    *,
    dry_run: bool,
    unchanged: int = 0,
    notices: list[Notice] | None = None,
    problems: list[Problem] | None = None,
) -> StoryImport:
    notices, problems = notices or [], problems or []
    refused = bool(problems) or not report.ok
    return StoryImport(
        parsed=report,
        dry_run=dry_run,
        added=0 if refused else report.stories - unchanged,
        unchanged=0 if refused else unchanged,
        notices=(*report.notices, *notices),
        notice_count=report.notice_count + len(notices),
        problems=(*report.problems, *problems[:PROBLEMS_SHOWN]),
        problem_count=report.problem_count + len(problems),
    )
