"""What axe-core finds on the page that a tab shows."""

from collections.abc import Iterator, Sequence

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.scenes.stage import dress

GRAVE = ("serious", "critical")
# Width and scheme. The tests look twice, so that each is seen; `make screenshots` at all four.
LOOKS = ((360, "light"), (1366, "dark"))
ALL_LOOKS = (*LOOKS, (360, "dark"), (1366, "light"))
# Of a table's rows, which are all of one kind, the first ones are looked at. In the lists of the
# admin each row is a body of its own.
OTHER_ROWS = "tbody tr:nth-child(n+9), tbody:nth-of-type(n+9)"
REMOVE = "others => document.querySelectorAll(others).forEach(row => row.remove())"
# A rule's impact is that of all its findings.
LOOK = """async grave => {
    const others = axe._audit.rules.filter(rule => !grave.includes(rule.impact));
    const rules = Object.fromEntries(others.map(rule => [rule.id, {enabled: false}]));
    const {violations} = await axe.run({resultTypes: ["violations"], rules});
    return violations.filter(v => grave.includes(v.impact)).flatMap(v => v.nodes.map(
        node => `${v.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}"""


def grave_findings(page: Page, looks: Sequence[tuple[int, str]] = LOOKS) -> list[str]:
    """Everything serious or critical, on a phone and on a desk, in light and in dark.

    Most rows of long tables are gone from the page afterwards.
    """
    page.evaluate(REMOVE, OTHER_ROWS)
    page.evaluate(Axe().axe_script)
    return [
        f"{width} {scheme}: {finding}"
        for width, scheme in looks
        for finding in _look(page, width=width, scheme=scheme)
    ]


def _look(page: Page, *, width: int, scheme: str) -> Iterator[str]:
    dress(page, width=width, scheme=scheme)
    yield from page.evaluate(LOOK, GRAVE)
