"""How many sentences are in a box, counted so that dialogue and abbreviations do not mislead.

Everything between quotation marks belongs to the sentence around it, an ellipsis ends nothing, and
a piece that goes on in lower case goes on with the same sentence. In doubt it counts one.
"""

import re

from annotation.tasks.state_annotation.folding import straighten
from annotation.tasks.state_annotation.verbs import word_set
from studies.story_files.sentences import split_sentences

_QUOTED = re.compile(r"""\"[^"]*\"|(?<!\w)'(?=\S)(?:[^']|(?<=\w)'(?=\w))*(?<=\S)'(?!\w)""")
_ELLIPSIS = re.compile(r"\.{2,}|…")
_INITIAL = re.compile(r"\b([A-Z])\.(?=\s+[A-Z])")
_ABBREVIATION = re.compile(
    r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun|Ave|Blvd|Rd"
    r"|Apt|Inc|Ltd|Co|Corp|etc|approx|dept|est|min|max)\.(?=\s)"
)
_SPEECH = word_set(
    "said says say asked asks answered answers replied replies shouted shouts yelled yells called "
    "calls cried cries whispered whispers told tells announced announces exclaimed muttered begged "
    "explained added screamed thought thinks laughed sighed wrote read"
)
_STANDS_FOR_QUOTE = "Quoted"


def count_sentences(text: str) -> int:
    """The number of sentences in `text`; 0 when it holds no letter or digit at all."""
    if not any(c.isalnum() for c in text):
        return 0
    plain = _QUOTED.sub(_stand_in, straighten(text))
    plain = _INITIAL.sub(r"\1", _ABBREVIATION.sub(r"\1", _ELLIPSIS.sub(",", plain)))
    pieces = [piece.strip() for piece in split_sentences(plain)]
    pieces = [piece for piece in pieces if any(c.isalnum() for c in piece)]
    return sum(at == 0 or not _continues(piece) for at, piece in enumerate(pieces))


def _continues(piece: str) -> bool:
    first = next(c for c in piece if c.isalnum())
    return first.islower()


def _stand_in(quote: re.Match[str]) -> str:
    """A word for the quotation, with a full stop where the quotation ends the sentence."""
    before, after = quote.string[: quote.start()].rstrip(), quote.string[quote.end() :].lstrip()
    ends = quote[0][1:-1].rstrip().endswith((".", "?", "!"))
    if not ends or not after or not (after[0].isupper() or after[0] in "\"'"):
        return _STANDS_FOR_QUOTE
    opens = before == "" or before.endswith((".", "?", "!", '"'))
    if opens and not _SPEECH.isdisjoint(re.findall(r"\w+", after.lower())[:5]):
        return _STANDS_FOR_QUOTE
    return _STANDS_FOR_QUOTE + "."
