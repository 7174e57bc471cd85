"""Every page in every state can be read and used by everybody."""

from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import launch
from tests.scenes.all import SCENES
from tests.scenes.axe import LOOKS, Seen, grave_findings
from tests.scenes.reach import moving_parts, scrolls_sideways, small_targets, stops
from tests.scenes.scene import Scene
from tests.scenes.stage import ZOOMED, Stage, dress
from tests.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def stage(running_stack: Stack) -> Iterator[Stage]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield Stage(running_stack, browser)
        browser.close()


@pytest.fixture(scope="module")
def seen() -> Seen:
    return Seen()


# Pages with many controls, each of another kind.
BY_KEYBOARD = ("worker-sign-in", "worker-list-full", "task-filled", "admin-round-open")
WORKERS = ("worker-", "task-", "error-")
CENTRAL = ("worker-list-full", "task-filled", "admin-study", "admin-round-open")


def scene_named(name: str) -> Scene:
    return next(scene for scene in SCENES if scene.name == name)


def looks_at(scene: Scene) -> Sequence[tuple[int, str]]:
    """Workers' pages are seen on a phone in light and on a desk in dark, others in turn so or so.

    Whatever the page: the colours' contrasts in light and in dark are in tests/static.
    """
    if scene.name in CENTRAL or scene.name.startswith(WORKERS):
        return LOOKS
    return LOOKS[SCENES.index(scene) % len(LOOKS) :][:1]


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_axe_finds_nothing_serious_and_all_fits_a_narrow_window(
    stage: Stage, seen: Seen, scene: Scene
) -> None:
    with stage.shown(scene) as visit:
        assert not scrolls_sideways(visit.page)
        if scene.name.startswith(WORKERS):
            assert small_targets(visit.page) == []
        menu = scene.name in CENTRAL
        assert grave_findings(visit.page, looks_at(scene), menu=menu, seen=seen) == []


@pytest.mark.parametrize("name", BY_KEYBOARD)
def test_tab_stops_once_at_each_control_and_shows_where(stage: Stage, name: str) -> None:
    with stage.shown(scene_named(name)) as visit:
        visit.page.evaluate("document.activeElement.blur(), scrollTo(0, 0)")
        found = stops(visit.page)

        assert len(found) > 3
        assert [stop["name"] for stop in found if not stop["marked"] or not stop["seen"]] == []
        assert moving_parts(visit.page) == []


@pytest.mark.parametrize("name", CENTRAL)
def test_at_a_zoom_of_200_percent_all_fits_and_can_be_reached(
    stage: Stage, seen: Seen, name: str
) -> None:
    with stage.shown(scene_named(name)) as visit:
        assert not scrolls_sideways(visit.page, width=ZOOMED)
        dress(visit.page, width=ZOOMED, scheme="light")
        visit.page.evaluate("document.activeElement.blur(), scrollTo(0, 0)")
        assert [stop["name"] for stop in stops(visit.page) if not stop["seen"]] == []
        assert grave_findings(visit.page, [(ZOOMED, "light")], seen=seen) == []


@pytest.mark.parametrize("change", ["color = '#bbb'", "background = '#333'"])
def test_a_text_that_was_legible_is_looked_at_again_in_other_colours(
    stage: Stage, seen: Seen, change: str
) -> None:
    with stage.shown(scene_named("worker-sign-in")) as visit:
        assert grave_findings(visit.page, LOOKS[:1], seen=seen) == []
        visit.page.locator("h1").evaluate(f"text => {{ text.style.{change}; }}")
        (found,) = grave_findings(visit.page, LOOKS[:1], seen=seen)

    assert "color-contrast" in found
    assert "<h1" in found
