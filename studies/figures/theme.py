"""How plots look: the colours and letters of the pages, read from their one place."""

import re
from functools import cache
from typing import Any, Literal

from django.conf import settings

Mode = Literal["light", "dark"]
# What a mark of that style means, and the colour that says so on every page.
STYLES = {
    "plain": "accent",
    "quiet": "line-strong",
    "state": "state-bar",
    "changed": "changed-bar",
    "good": "good-bar",
    "attention": "attention-bar",
    "blocked": "blocked-bar",
    "justify": "justify-bar",
}
COLOUR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
FONT = "Inter Variable, Inter, system-ui, sans-serif"


@cache
def colours(mode: Mode) -> dict[str, str]:
    """The names of tokens.css and their colours in that mode."""
    css = (settings.BASE_DIR / "static" / "css" / "tokens.css").read_text(encoding="utf-8")
    which = 2 if mode == "light" else 3
    return {found[1]: found[which] for found in COLOUR.finditer(css)}


@cache
def config(mode: Mode) -> dict[str, Any]:
    """Vega-Lite's config in that mode."""
    name = colours(mode)
    axis = {
        "labelColor": name["ink-soft"],
        "titleColor": name["ink-soft"],
        "gridColor": name["line"],
        "domainColor": name["line-strong"],
        "tickColor": name["line-strong"],
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    return {
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "axis": axis,
        "legend": {"labelColor": name["ink"], "titleColor": name["ink-soft"]},
        "text": {"color": name["ink"], "fontSize": 12},
        "rule": {"color": name["line-strong"]},
        "style": {style: {"color": name[token]} for style, token in STYLES.items()},
    }
