"""Cells that a spreadsheet would run as a formula: made harmless, and given back to the letter.

A cell that starts like a formula gets an apostrophe in front. So that this can be undone, a cell
that starts with apostrophes and then like a formula gets one more; undoing takes one away.
"""

import re

# = + - @ (and their full-width twins) also behind white space; tab, CR and LF start one by
# themselves in some programs.
_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")


def may_start_formula(letter: str) -> bool:
    """Whether `neutralise` may change a cell that begins with this letter."""
    return letter == "'" or letter.isspace() or _FORMULA.match(letter) is not None


def neutralise(cell: str) -> str:
    if cell[:1].isalnum():
        return cell
    return f"'{cell}" if _FORMULA.match(cell) else cell


def restore(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
