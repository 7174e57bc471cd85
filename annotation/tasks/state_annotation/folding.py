"""Compare texts as a reader would: case, spacing, quotes and dashes do not make a difference."""

import re
import unicodedata

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′‵`´ʼʻ＇", "'"),
        **dict.fromkeys("“”„‟″‶«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    }
)
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_LINE_BREAKS = re.compile(r"[^\S\r\n\v\f\x85\u2028\u2029]*[\r\n\v\f\x85\u2028\u2029\t]\s*")


def straighten(text: str) -> str:
    """`text` with plain quotes and dashes."""
    return text.translate(_ALIKE)


def fold(text: str) -> str:
    """`text` in the form used for comparing only, never for storing. Folding twice changes nothing.

    Compatibility forms, case, kinds of quotes and dashes and runs of space are folded; invisible
    format characters (zero-width space, direction marks) are dropped, so a text made of nothing
    else folds to "".
    """
    if text.isascii() and text.isprintable():
        # Nothing to compose or to drop: most texts, and every submit folds some twenty.
        return " ".join(text.translate(_ALIKE).lower().split())
    previous, folded = text, _fold_once(text)
    while folded != previous:
        previous, folded = folded, _fold_once(folded)
    return folded


def _fold_once(text: str) -> str:
    plain = straighten(unicodedata.normalize("NFKC", straighten(text)).casefold())
    visible = "".join(
        c for c in plain if c.isspace() or unicodedata.category(c) not in ("Cf", "Cc")
    )
    return " ".join(visible.split())


def is_blank(text: str) -> bool:
    """Nothing a reader could see: spaces and zero-width characters count as nothing."""
    if text.isprintable() and text.isascii():
        return not text.strip()
    return fold(text) == ""


def words(text: str) -> list[str]:
    """The folded words of `text`, without punctuation; "don't" and "well-read" are one word."""
    return _WORD.findall(fold(text))


def one_line(text: str) -> str:
    """`text` as one trimmed line: a line break or tab becomes a space, all else stays as typed."""
    if not text.isprintable():
        text = _LINE_BREAKS.sub(" ", text)
    return text.strip()


def same_text(left: str, right: str) -> bool:
    """The same line, whichever way its accents are encoded. Case and punctuation do matter."""
    return left == right or unicodedata.normalize("NFC", one_line(left)) == unicodedata.normalize(
        "NFC", one_line(right)
    )


def length(text: str) -> int:
    """Characters as a worker counts them: trimmed, an accented letter or an emoji is one."""
    return len(unicodedata.normalize("NFC", text.strip()))
