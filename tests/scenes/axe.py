"""What axe-core finds on the page that a tab shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.scenes.contrast import WATCH
from tests.scenes.stage import NARROWEST, dress

GRAVE = ("serious", "critical")
# Width and scheme: `make screenshots` looks at all of the second line.
LOOKS = ((NARROWEST, "light"), (1366, "dark"))
ALL_LOOKS = ((360, "light"), (1366, "dark"), (360, "dark"), (1366, "light"))
# Of a table's rows, which are all of one kind, the first ones are looked at. In the lists of the
# admin each row is a body of its own. So it is with the operations of the API, and their groups.
OTHER_ROWS = (
    "tbody tr:nth-child(n+5), tbody:nth-of-type(n+5), .operation-tag-content > span:nth-child(n+3),"
    "span:nth-child(n+3):has(> .opblock-tag-section):not(:has(.opblock.is-open))"
)
# The admin's menu is the same on every page; `make screenshots` looks at it on each, the tests on
# those that are central.
MENU = "#nav-sidebar"
REMOVE = "others => document.querySelectorAll(others).forEach(row => row.remove())"
# A rule's impact is that of all its findings.
LOOK = f"""async ([grave, names]) => {{
    const legible = new Set(names && names.split(" "));
    if (names !== null) ({WATCH})(legible);
    const others = axe._audit.rules.filter(rule => !grave.includes(rule.impact));
    const rules = Object.fromEntries(others.map(rule => [rule.id, {{enabled: false}}]));
    const {{violations}} = await axe.run({{resultTypes: ["violations"], rules}});
    const found = violations.filter(v => grave.includes(v.impact)).flatMap(v => v.nodes.map(
        node => `${{v.id}}: ${{node.html.slice(0, 200)}} ${{node.failureSummary}}`));
    return [found, [...legible].join(" ")];
}}"""


@dataclass
class Seen:
    """Which texts were legible on the pages before."""

    names: str = ""


def grave_findings(
    page: Page,
    looks: Sequence[tuple[int, str]] = LOOKS,
    *,
    menu: bool = True,
    seen: Seen | None = None,
) -> list[str]:
    """Everything serious or critical, on a phone and on a desk, in light and in dark.

    Most rows of long tables are gone from the page afterwards, and the menu if it is not asked for.
    The contrast of a text is not looked at again where it was `seen` before.
    """
    page.evaluate(REMOVE, OTHER_ROWS if menu else f"{OTHER_ROWS}, {MENU}")
    page.evaluate("lookWithAxe()")
    return [
        f"{width} {scheme}: {finding}"
        for width, scheme in looks
        for finding in _look(page, seen, width=width, scheme=scheme)
    ]


def _look(page: Page, seen: Seen | None, *, width: int, scheme: str) -> Iterator[str]:
    dress(page, width=width, scheme=scheme)
    found, names = page.evaluate(LOOK, [GRAVE, seen.names if seen else None])
    if seen:
        seen.names = names
    yield from found
