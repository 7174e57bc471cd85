"""What axe-core finds on the page that a tab shows."""

from collections.abc import Iterator, Sequence

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.scenes.stage import dress

GRAVE = ("serious", "critical")
# Width and scheme. The tests look twice, so that each is seen; `make screenshots` at all four.
LOOKS = ((360, "light"), (1366, "dark"))
ALL_LOOKS = (*LOOKS, (360, "dark"), (1366, "light"))
# Of a table's rows, which are all of one kind, the first ones are looked at.
OTHER_ROWS = "tbody tr:nth-child(n+9)"
LOOK = """async ([grave, others]) => {
    const {violations} = await axe.run({exclude: [others]}, {resultTypes: ["violations"]});
    return violations.filter(v => grave.includes(v.impact)).flatMap(v => v.nodes.map(
        node => `${v.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}"""


def grave_findings(page: Page, looks: Sequence[tuple[int, str]] = LOOKS) -> list[str]:
    """Everything serious or critical, on a phone and on a desk, in light and in dark."""
    page.evaluate(Axe().axe_script)
    return [
        f"{width} {scheme}: {finding}"
        for width, scheme in looks
        for finding in _look(page, width=width, scheme=scheme)
    ]


def _look(page: Page, *, width: int, scheme: str) -> Iterator[str]:
    dress(page, width=width, scheme=scheme)
    yield from page.evaluate(LOOK, [GRAVE, OTHER_ROWS])
