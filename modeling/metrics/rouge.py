"""ROUGE-L: the longest common subsequence of words, without stemming.

Lin (2004), "ROUGE: A Package for Automatic Evaluation of Summaries".
"""

from functools import cache
from typing import Any

from modeling.metrics.share import Share

ROUGE_L, ROUGE_LSUM = "rougeL", "rougeLsum"


def rouge(output: str, reference: str) -> dict[str, Share]:
    """F1 of `rougeL` over the whole text, and of `rougeLsum` over its lines."""
    found = _scorer().score(reference, output)
    return {name: Share(float(found[name].fmeasure)) for name in (ROUGE_L, ROUGE_LSUM)}


@cache
def _scorer() -> Any:
    # Slow to import, and most commands have no use for it.
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([ROUGE_L, ROUGE_LSUM], use_stemmer=False)
