"""Cells that a spreadsheet would run as a formula: made harmless, and given back to the letter.

A cell that starts like a formula gets an apostrophe in front. So that this can be undone, a cell
that starts with apostrophes and then like a formula gets one more; undoing takes one away.
"""

import re

# = + - @ (and their full-width twins) also behind white space; tab, CR and LF start one by
# themselves in some programs.
_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_FORMULA_IN_ROW = re.compile(f"\0{_FORMULA.pattern}")


def neutralise(cell: str) -> str:
    if cell[:1].isalnum():
        return cell
    return f"'{cell}" if _FORMULA.match(cell) else cell


def neutralise_row(cells: list[str]) -> list[str]:
    """`neutralise` for each. In most rows nothing starts like a formula: one search tells."""
    if _FORMULA_IN_ROW.search("\0" + "\0".join(cells)):
        return [neutralise(cell) for cell in cells]
    return cells


def restore(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
