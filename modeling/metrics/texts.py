"""How near an output is to its reference. BERTScore, which needs PyTorch, is in
`modeling/training/`."""

from collections.abc import Sequence

from modeling.metrics.gleu import gleu
from modeling.metrics.rouge import ROUGE_L, ROUGE_LSUM, rouge
from modeling.metrics.share import Share

GLEU, EXACT, BERTSCORE = "gleu", "exact", "bertscore"
METRICS = (GLEU, ROUGE_L, ROUGE_LSUM, BERTSCORE, EXACT)


def text_scores(output: str, reference: str) -> dict[str, Share]:
    """Of two texts; sentences of a story on lines of their own. Exact is the same up to spaces."""
    same = output.split() == reference.split()
    return {
        GLEU: gleu(output, reference),
        **rouge(output, reference),
        EXACT: Share(float(same)),
    }


def on_lines(sentences: Sequence[str]) -> str:
    return "\n".join(" ".join(sentence.split()) for sentence in sentences)
