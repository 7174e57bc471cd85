"""No page in any state has a serious or critical finding of axe's, on a phone and on a desk, in
light and in dark."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import sync_playwright

from tests.scenes.all import SCENES
from tests.scenes.axe import grave_findings
from tests.scenes.scene import Scene
from tests.scenes.stage import Stage, launch
from tests.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def stage(running_stack: Stack) -> Iterator[Stage]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield Stage(running_stack, browser)
        browser.close()


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_axe_finds_nothing_serious(stage: Stage, scene: Scene) -> None:
    with stage.shown(scene) as visit:
        assert grave_findings(visit.page) == []
