"""GLEU: runs of one to four tokens that output and reference share.

Wu et al. (2016), "Google's Neural Machine Translation System". As `nltk.translate.gleu_score` has
it, which tells the value alone; here the counts are kept, since a corpus adds them up.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from modeling.metrics.share import Share

LONGEST = 4


def gleu(output: str, reference: str) -> Share:
    """Shared runs among those of the text that has more."""
    ours, theirs = _runs(_tokens(output)), _runs(_tokens(reference))
    return Share((ours & theirs).total(), max(ours.total(), theirs.total()))


def _runs(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    sizes = range(1, LONGEST + 1)
    return Counter(
        tuple(tokens[start : start + size])
        for size in sizes
        for start in range(len(tokens) - size + 1)
    )


def _tokens(text: str) -> list[str]:
    tokens: list[str] = _tokenizer()(" ".join(text.split())).split()
    return tokens


@cache
def _tokenizer() -> Any:
    # Slow to import, and most commands have no use for it.
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()
