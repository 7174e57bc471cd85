"""What axe-core finds on the page that a tab shows."""

from collections.abc import Iterator

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.scenes.stage import SCHEMES, dress

GRAVE = ("serious", "critical")
WIDTHS = (360, 1366)
COLOURS = ["color-contrast", "link-in-text-block"]
LOOK = """async ([rules, grave]) => {
    const only = rules ? {runOnly: rules} : {};
    const {violations} = await axe.run({resultTypes: ["violations"], ...only});
    return violations.filter(v => grave.includes(v.impact)).flatMap(v => v.nodes.map(
        node => `${v.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}"""


def grave_findings(page: Page) -> list[str]:
    """Everything serious or critical, on a phone and on a desk, in light and in dark.

    What is no matter of colour is looked for in light only.
    """
    page.evaluate(Axe().axe_script)
    return [
        f"{width} {scheme}: {finding}"
        for width in WIDTHS
        for scheme in SCHEMES
        for finding in _look(page, width=width, scheme=scheme)
    ]


def _look(page: Page, *, width: int, scheme: str) -> Iterator[str]:
    dress(page, width=width, scheme=scheme)
    yield from page.evaluate(LOOK, [None if scheme == "light" else COLOURS, GRAVE])
