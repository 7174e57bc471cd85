"""What makes a text or a story the same as another, and what counts as empty."""

import hashlib
import unicodedata
from collections.abc import Iterable

LONGEST_ID = 200
LONGEST_TITLE = 500
# Not white space to Python, yet nothing to see: zero-width space, joiners, marks, byte order mark.
_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"


def composed(text: str) -> str:
    """NFC, for comparing only: what is stored stays as typed."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def is_blank(text: str) -> bool:
    stripped = text.strip()
    if not stripped or stripped.isascii():
        return not stripped
    return not stripped.translate(dict.fromkeys(map(ord, _INVISIBLE))).strip()


def story_text(title: str, sentences: Iterable[str], roles: Iterable[str]) -> str:
    """All of a story in one text, each part apart from the next."""
    return "\0".join((title, *sentences, "", *roles))


def text_digest(text: str) -> bytes:
    """Equal for texts that differ in Unicode composition at most."""
    return hashlib.blake2b(composed(text).encode(), digest_size=16).digest()


def wording(title: str, sentences: Iterable[str]) -> bytes:
    """Equal for stories that differ in composition and in where sentences end at most."""
    text = "\0".join((composed(title), "".join(composed(" ".join(sentences)).split())))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
