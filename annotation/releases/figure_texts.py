"""Statistics as people and papers want them: plain text, JSON, a LaTeX table."""

import json
from typing import Any

from annotation.releases.card import NAMES


def as_json(figures: dict[str, Any]) -> str:
    return json.dumps(figures, indent=2)


def as_text(figures: dict[str, Any]) -> str:
    return "\n".join(f"{_shown(key, figures):>10}  {name}" for key, name in NAMES.items())


def as_latex(figures: dict[str, Any]) -> str:
    rows = [
        f"{name.replace('%', chr(92) + '%')} & {_shown(key, figures)} \\\\"
        for key, name in NAMES.items()
    ]
    return "\n".join([r"\begin{tabular}{lr}", r"\hline", *rows, r"\hline", r"\end{tabular}"])


def _shown(key: str, figures: dict[str, Any]) -> str:
    value = figures[key]
    if value is None:
        return "–"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"


WRITERS = {"text": as_text, "json": as_json, "latex": as_latex}
