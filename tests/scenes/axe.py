"""What axe-core finds on the page that a tab shows."""

from collections.abc import Iterator

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.scenes.stage import dress

GRAVE = ("serious", "critical")
COLOURS = ["color-contrast", "link-in-text-block"]
# Width, scheme and rules: what is no matter of colour is looked for in light only, and the colours
# of dark are the same at every width.
LOOKS = ((360, "light", None), (1366, "light", None), (1366, "dark", COLOURS))
# Of a table's rows, which are all of one kind, the first ones are looked at.
OTHER_ROWS = "tbody tr:nth-child(n+9)"
LOOK = """async ([rules, grave, others]) => {
    const options = {resultTypes: ["violations"], ...(rules ? {runOnly: rules} : {})};
    const {violations} = await axe.run({exclude: [others]}, options);
    return violations.filter(v => grave.includes(v.impact)).flatMap(v => v.nodes.map(
        node => `${v.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}"""


def grave_findings(page: Page) -> list[str]:
    """Everything serious or critical, on a phone and on a desk, in light and in dark."""
    page.evaluate(Axe().axe_script)
    return [
        f"{width} {scheme}: {finding}"
        for width, scheme, rules in LOOKS
        for finding in _look(page, width=width, scheme=scheme, rules=rules)
    ]


def _look(page: Page, *, width: int, scheme: str, rules: list[str] | None) -> Iterator[str]:
    dress(page, width=width, scheme=scheme)
    yield from page.evaluate(LOOK, [rules, GRAVE, OTHER_ROWS])
