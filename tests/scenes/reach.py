"""Whether a page can be reached by everybody: at high zoom, by finger, by keyboard, at rest."""

from typing import Any

from playwright.sync_api import Page

from tests.scenes.stage import HEIGHTS, NARROWEST

FINGER = 44
MOST_STOPS = 150
CONTROLS = (
    "button, .button, .site-nav a, .orders a, .filters a, summary, select, textarea, "
    "input:not([type=hidden], [type=checkbox], [type=radio])"
)
SMALL = """([controls, finger]) => [...document.querySelectorAll(controls)]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest(".visually-hidden"))
    .filter(e => e.getBoundingClientRect().height < finger - 0.5)
    .map(e => `${Math.round(e.getBoundingClientRect().height)} px: ${e.outerHTML.slice(0, 120)}`)"""
FOCUSED = """() => {
    const e = document.activeElement;
    if (!e || e === document.body) return null;
    const marked = [e, e.closest("label")].filter(Boolean).map(m => getComputedStyle(m))
        .some(s => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2);
    const {top, bottom} = e.getBoundingClientRect();
    window.fabulaStops = window.fabulaStops || [];
    const again = window.fabulaStops.includes(e);
    window.fabulaStops.push(e);
    return {name: e.outerHTML.slice(0, 120), marked, again,
            seen: bottom > 0 && top < innerHeight};
}"""
MOVING = """() => [...document.querySelectorAll("*")].filter(e => {
    const style = getComputedStyle(e);
    const longest = list => Math.max(...list.split(",").map(parseFloat));
    return longest(style.transitionDuration) > 0.001
        || (style.animationName !== "none" && longest(style.animationDuration) > 0.001);
}).map(e => e.outerHTML.slice(0, 120))"""


def scrolls_sideways(page: Page, *, width: int = NARROWEST) -> bool:
    """Whether the page is wider than such a window."""
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def small_targets(page: Page) -> list[str]:
    """What a finger would miss on the page as it stands."""
    found: list[str] = page.evaluate(SMALL, [CONTROLS, FINGER])
    return found


def stops(page: Page) -> list[dict[str, Any]]:
    """Where Tab goes from the top of the page, until it leaves it."""
    found = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if stop is None or stop["again"]:
            break
        found.append(stop)
    return found


def moving_parts(page: Page) -> list[str]:
    """What would still move for somebody who asked for no motion."""
    found: list[str] = page.evaluate(MOVING)
    return found
