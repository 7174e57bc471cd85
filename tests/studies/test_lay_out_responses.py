import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.services.response_layout import dump_own, dump_published
from studies.services.response_table import table_lines, write_table
from studies.spreadsheet_cells import neutralise

# What PostgreSQL can hold as text.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
TRICKY = st.text(st.sampled_from("'\"=,;/\\\t\r\n \x7f\x85\u2028é＝😀ab1"), max_size=8)
ROWS = st.lists(TEXTS | TRICKY, min_size=2, max_size=6).map(
    lambda texts: {f"f{n}": text for n, text in enumerate(texts)}
)


@given(ROWS)
def test_lines_are_those_of_the_standard_library(row: dict[str, Any]) -> None:
    row |= {"ticks": [1, 2], "on": True, "off": None}
    ascii_line = json.dumps(row, separators=(",", ":"))
    own_line = json.dumps(row, separators=(",", ":"), ensure_ascii=False)
    for end in "\x85\u2028\u2029":
        own_line = own_line.replace(end, f"\\u{ord(end):04x}")

    assert dump_published(row).decode() == ascii_line.replace("/", "\\/")
    assert dump_own(row).decode() == own_line


def test_every_letter_is_spelled_as_the_standard_library_does() -> None:
    for code in (*range(1, 0xD800), *range(0xE000, 0x11000)):
        row = {"text": chr(code)}

        assert (
            dump_published(row).decode().replace("\\/", "/")
            == f'{{"text":{json.dumps(chr(code))}}}'
        )
        assert json.loads(dump_own(row)) == row


@given(st.lists(ROWS, min_size=1, max_size=3))
def test_cells_are_quoted_as_the_standard_library_does(rows: list[dict[str, str]]) -> None:
    rows = [row for row in rows if len(row) == len(rows[0])]
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerows(map(neutralise, row.values()) for row in rows)

    columns = list(zip(*(row.values() for row in rows), strict=True))
    assert table_lines(columns) == lines.getvalue()


@given(st.lists(ROWS, min_size=1, max_size=6), st.integers(1, 3))
def test_a_table_has_all_columns_whenever_they_turn_up(
    rows: list[dict[str, str]], at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("studies.services.response_table.ROWS_AT_ONCE", at_once)
        out = io.BytesIO()
        write_table(out, iter(rows))

    longest = max(rows, key=len)
    lines = io.StringIO()
    writer = csv.DictWriter(lines, list(longest), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: neutralise(text) for name, text in row.items()} for row in rows)
    assert out.getvalue().decode() == lines.getvalue()


def test_what_is_no_text_has_a_cell_too() -> None:
    out = io.BytesIO()
    at = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)

    write_table(out, iter([{"n": 1, "none": None, "on": True, "list": ["é", 2], "at": at}]))

    assert out.getvalue().decode().splitlines()[1] == (
        '1,,true,"[""é"", 2]",2026-01-31T09:30:00+00:00'
    )
