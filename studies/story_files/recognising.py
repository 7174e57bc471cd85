"""Which format a file is in, when nobody said."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from studies.story_files.formats import RECORD_FORMATS, TABLE_FORMATS, RecordFormat, TableFormat
from studies.story_files.json_lines import read_records
from studies.story_files.results import Findings

LINES_PEEKED = 100
NAMES_SHOWN = 300


def recognise_table(columns: list[str], findings: Findings, row: int) -> TableFormat | None:
    """The table format that knows most of the columns; a problem where none knows any."""
    found = max(TABLE_FORMATS, key=lambda known: known.recognised_in(columns))
    if found.recognised_in(columns):
        return found
    findings.problem(
        "unknown_format",
        _("The format is not known. The columns are: %(columns)s. %(needs)s")
        % {
            "columns": ", ".join(columns)[:NAMES_SHOWN],
            "needs": " ".join(str(known.needs) for known in TABLE_FORMATS),
        },
        row=row,
    )
    return None


def recognise_records(
    lines: Iterator[str], peeked: list[str], findings: Findings
) -> RecordFormat | None:
    """The format of the first JSON object, a problem where it is none of ours.

    The lines read on the way are added to `peeked`.
    """
    keys = _first_keys(lines, peeked)
    for known in RECORD_FORMATS:
        if known.signature <= keys:
            return known
    if not keys:
        list(read_records(peeked, findings))
        return None
    findings.problem(
        "unknown_format",
        _(
            "The format is not known. The fields are: %(fields)s. Stories of your own come as a"
            " table with the columns story_id, title, line1, line2 and so on; JSON lines are read"
            " as these published files have them: %(known)s."
        )
        % {
            "fields": ", ".join(sorted(keys))[:NAMES_SHOWN],
            "known": "; ".join(
                f"{known.name} ({', '.join(known.fields)})" for known in RECORD_FORMATS
            ),
        },
        row=len(peeked),
    )
    return None


def _first_keys(lines: Iterator[str], peeked: list[str]) -> set[str]:
    for line in lines:
        peeked.append(line)
        for record in read_records([line], Findings()):
            return set(record.fields)
        if len(peeked) >= LINES_PEEKED:
            break
    return set()
