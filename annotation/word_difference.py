"""The word difference between two texts, with the marks of static/js/task/worddiff.js."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

# A letter of a script without spaces, a word, white space, or any other character.
TOKEN = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]"
    r"|[\p{L}\p{M}\p{N}\u200c\u200d]+(?:['’\-‐][\p{L}\p{M}\p{N}]+)*|\s+|.",
    regex.DOTALL,
)
# Above this many comparisons the middle counts as replaced as a whole.
MOST_COMPARISONS = 4_000_000


@dataclass
class Part:
    """A stretch of text that is the same in both, or `old` that became `new`."""

    same: bool
    old: str = ""
    new: str = ""

    @property
    def extent(self) -> int:
        return max(_units(self.old), _units(self.new))


def word_difference(before: str, after: str) -> list[Part]:
    """The parts in reading order; the old texts make up `before`, the new ones `after`."""
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    edits = [
        *((token, token) for token in old[:start]),
        *_align(old[start : len(old) - end], new[start : len(new) - end]),
        *((token, token) for token in old[len(old) - end :]),
    ]
    return _without_noise(_gathered(edits))


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))


def _align(old: list[str], new: list[str]) -> list[tuple[str, str]]:
    """(old, new) tokens of a longest common subsequence; what is in one alone has "" beside it."""
    if not old or not new or len(old) * len(new) > MOST_COMPARISONS:
        return [*((token, "") for token in old), *(("", token) for token in new)]
    common = _lengths(old, new)
    edits, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            edits.append((old[i], new[j]))
            i, j = i + 1, j + 1
        elif common[i + 1][j] >= common[i][j + 1]:
            edits.append((old[i], ""))
            i += 1
        else:
            edits.append(("", new[j]))
            j += 1
    return [*edits, *((token, "") for token in old[i:]), *(("", token) for token in new[j:])]


def _lengths(old: list[str], new: list[str]) -> list[list[int]]:
    """How long the longest common subsequence of the rests from i and from j on is."""
    common = [[0] * (len(new) + 1)]
    for token in reversed(old):
        below = common[-1]
        row = [0] * (len(new) + 1)
        for j in range(len(new) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if token == new[j] else max(below[j], row[j + 1])
        common.append(row)
    return common[::-1]


def _gathered(edits: Iterable[tuple[str, str]]) -> list[Part]:
    parts: list[Part] = []
    for old, new in edits:
        same = old == new
        if not parts or parts[-1].same != same:
            parts.append(Part(same))
        parts[-1].old += old
        parts[-1].new += new
    return parts


def _without_noise(parts: list[Part]) -> list[Part]:
    """Without what stays between two edits, where it is white space or shorter than both: it
    changes with them, so that a rewritten phrase reads as one deletion and one insertion."""
    at = 1
    while at < len(parts) - 1:
        before, part, after = parts[at - 1 : at + 2]
        if part.same and _is_noise(part.old, min(before.extent, after.extent)):
            before.old += part.old + after.old
            before.new += part.new + after.new
            del parts[at : at + 2]
            at = max(1, at - 2)
        else:
            at += 1
    return parts


def _is_noise(text: str, edited: int) -> bool:
    return not text.strip() or _units(text) < edited


def _units(text: str) -> int:
    """The length as JavaScript counts it."""
    return len(text) + sum(char > "\uffff" for char in text)
