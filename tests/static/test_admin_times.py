"""Times on the admin's pages, as their reader's browser shows them."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from tests.static.site import Site

pytestmark = pytest.mark.browser


def test_a_time_of_another_year_comes_with_its_year(page: Page, site: Site) -> None:
    now = datetime.now(UTC)
    before = now.replace(year=now.year - 4, day=15)
    script = "<script src='/static/js/admin-local-time.js'></script>"
    times = [f"<time datetime='{at.isoformat()}'></time>" for at in (before, now)]
    site.page = f"<!doctype html><title>Times</title>{script}{' '.join(times)}"

    page.goto("/")

    shown = page.locator("time")
    expect(shown.first).to_contain_text(str(before.year))
    expect(shown.last).not_to_contain_text(str(now.year))
