"""Rows in the published layout, written for the tests."""

import json
from typing import Any


def published_row(label: str = "A1", story: str = "s1", **changes: Any) -> dict[str, Any]:
    sentences = [f"Nora walked {n} miles." for n in range(1, 6)]
    return {
        "AssignmentId": label,
        "Input.Title": "The walk",
        "Input.storyid": story,
        **{f"Input.line{n}": text for n, text in enumerate(sentences, 1)},
        "Answer.assertion": f"Nora is fit, says {label}.",
        **{f"Answer.line{n}.on": n == 5 for n in range(1, 6)},
        "Answer.mod_assertion": "Nora is not fit.",
        **{f"Answer.mod_line{n}": text for n, text in enumerate(sentences[:4], 1)},
        "Answer.mod_line5": "Nora gave up after 5 miles.",
    } | changes


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)
