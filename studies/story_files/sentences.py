"""One string to sentences: the `sentencex` library, then one boundary rule (docs/stories.md)."""

import re

from sentencex import segment

# After . ? ! and closing quotes or brackets, then space, a new sentence begins with a capital or
# a digit, perhaps behind an opening quote or bracket.
_BOUNDARY = re.compile(r"""(?<![.?!…])([.?!…]+["'”’»)\]]*)\s+(?=["'“‘«(\[]*(\S))""")
_LOOK_BACK = 60
_TITLES = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "mx",
        "dr",
        "prof",
        "rev",
        "fr",
        "sr",
        "jr",
        "st",
        "mt",
        "ft",
        "gen",
        "col",
        "capt",
        "cpt",
        "lt",
        "sgt",
        "maj",
        "cmdr",
        "adm",
        "gov",
        "sen",
        "rep",
        "pres",
        "hon",
        "messrs",
        "mme",
        "mlle",
        "vs",
    ]
)
_BEFORE_NUMBERS = frozenset(["no", "nos", "vol", "ch", "p", "pp", "fig"])
_INITIALISM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_GRADE = re.compile(r"\b[Aa]n?\s+[ABCDF]$")


def split_sentences(text: str, language: str = "en") -> list[str]:
    """The sentences of `text` without the space between them, every other character kept."""
    sentences = []
    for piece in segment(language, text):
        sentences += _split_at_boundaries(piece)
    return [stripped for sentence in sentences if (stripped := sentence.strip())]


def _split_at_boundaries(text: str) -> list[str]:
    parts = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        marks, following = match.groups()
        if not (following.isupper() or following.isdigit()):
            continue
        before = text[max(start, match.start() - _LOOK_BACK) : match.start()]
        if marks == "." and _belongs_to_what_follows(before, following):
            continue
        parts.append(text[start : match.end()])
        start = match.end()
    return [*parts, text[start:]]


def _belongs_to_what_follows(before: str, following: str) -> bool:
    """Whether the full stop after `before` marks a title, a number or initials ("Mr.", "U.S.")."""
    *_rest, word = re.split(r"\s", before)
    bare = word.lstrip("\"'“‘«([")
    if bare.casefold() in _TITLES:
        return True
    if bare.casefold() in _BEFORE_NUMBERS:
        return following.isdigit()
    if _GRADE.search(before):
        return False
    return _INITIALISM.fullmatch(bare + ".") is not None
