"""Batch result files as MTurk writes them, with stories of our own."""

import csv
import io
from collections.abc import Iterable
from typing import Any

BEFORE = [
    *("HITId", "HITTypeId", "Title", "MaxAssignments", "AssignmentId", "WorkerId"),
    *("AssignmentStatus", "AcceptTime", "SubmitTime", "LifetimeApprovalRate"),
]
INPUTS = ["Input.AssignmentId", "Input.line1", "Input.state", "Input.story_state_flag"]
EXAMPLES = [f"Answer.ex_sb_entail_a.{k}" for k in range(1, 6)]
AFTER = ["Approve", "Reject"]
PARTS = ("story_state", "story_mod_state", "mod_story_state", "mod_story_mod_state")
ROW = {
    "HITTypeId": "3KIND",
    "Title": "Is it so?",
    "MaxAssignments": "3",
    "AssignmentStatus": "Submitted",
    "AcceptTime": "Sat Nov 26 15:01:24 PST 2022",
    "SubmitTime": "Sat Nov 26 15:02:09 PST 2022",
    "LifetimeApprovalRate": "100% (12/12)",
    "Input.AssignmentId": "3TUPLE",
    "Input.line1": "The rain had not stopped\nsince noon,\r\rand the cups were counted.",
    "Input.state": "Mira is bored.",
    "Input.story_state_flag": "story_state",
}


def columns(first: int = 0, options: int = 5, stem: str = "sb_entail_a") -> list[str]:
    return [f"Answer.{stem}.{first + k}" for k in range(options)]


def rating(hit: str, worker: str, chosen: int | Iterable[int], **more: Any) -> dict[str, str]:
    """A row of a state-inference file; `chosen` are the places of the options that are true."""
    places = {chosen} if isinstance(chosen, int) else set(chosen)
    answers = {f"place {k}": str(k in places).lower() for k in range(5)}
    own = {"HITId": hit, "WorkerId": worker, "AssignmentId": f"3{hit}{worker}"}
    return ROW | own | answers | more


def result_file(
    rows: Iterable[dict[str, str]], *, first: int = 0, header: list[str] | None = None
) -> bytes:
    """Rows two cells shorter than the header, and no final newline."""
    answers = columns(first)
    names = header or [*BEFORE, *INPUTS, *EXAMPLES, *answers, *AFTER]
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        named = row | {column: row[f"place {k}"] for k, column in enumerate(answers)}
        named |= dict.fromkeys(EXAMPLES, "false")
        writer.writerow([named.get(name, "") for name in names if name not in AFTER])
    return out.getvalue().rstrip("\n").encode()


def four_items() -> list[dict[str, str]]:
    """Of one tuple, each rated by three; the majority is wrong about the last."""
    likely = {"story_state": (4, 3, 0), "mod_story_mod_state": (3, 1, 2)}
    unlikely = {"story_mod_state": (0, 1, 4), "mod_story_state": (2, 2, 1)}
    return [
        rating(f"HIT{place}", f"W{rater}", code, **{"Input.story_state_flag": part})
        for place, part in enumerate(PARTS)
        for rater, code in enumerate((likely | unlikely)[part])
    ]
