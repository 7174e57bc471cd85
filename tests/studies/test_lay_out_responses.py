import csv
import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from studies.services.response_layout import dump_own, dump_published, dump_table
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


@given(ROWS)
def test_cells_are_quoted_as_the_standard_library_does(row: dict[str, str]) -> None:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(map(neutralise, row.values()))

    assert dump_table(row.values()).decode() == line.getvalue()
