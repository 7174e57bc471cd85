"""Batch result files of pairs, as MTurk writes them, with texts of our own."""

import csv
import io
from collections.abc import Iterable, Sequence

from evaluation.instruments.parts import PAIRWISE_CODES

QUESTIONS = ("premise", "plot", "counterfactual")
OPTIONS = tuple(f"Answer.{question}.{k}" for question in QUESTIONS for k in range(4))
MAP = {"group": "Input.source", "left": "Input.left_system"}


def pair(hit: str, worker: str, chosen: Sequence[int], **more: str) -> dict[str, str]:
    """A row; `chosen` are the places of the options of the three questions."""
    answers = {
        f"Answer.{question}.{k}": str(k == place).lower()
        for question, place in zip(QUESTIONS, chosen, strict=True)
        for k in range(len(PAIRWISE_CODES))
    }
    own = {"HITId": hit, "AssignmentId": f"3{hit}{worker}", "WorkerId": worker}
    return {
        **own,
        "SubmitTime": "Sat Nov 26 15:02:09 PST 2022",
        "Input.source": f"source of {hit}",
        "Input.first": "Mira took the bus.",
        "Input.second": "Mira walked home.",
        "Input.left_system": "A",
        "Input.right_system": "B",
        **answers,
        **more,
    }


def pair_file(rows: Iterable[dict[str, str]], *, without: Iterable[str] = ()) -> bytes:
    found = list(rows)
    names = [name for name in found[0] if name not in without]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, names, quoting=csv.QUOTE_ALL, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue().encode()
