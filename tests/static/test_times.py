"""Times as their reader's browser shows them."""

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from tests.static.site import Site

pytestmark = pytest.mark.browser


def test_in_the_admin_a_time_of_another_year_comes_with_its_year(page: Page, site: Site) -> None:
    now = datetime.now(UTC)
    before = now.replace(year=now.year - 4, day=15)
    script = "<script src='/static/js/admin-local-time.js'></script>"
    times = [f"<time datetime='{at.isoformat()}'></time>" for at in (before, now)]
    site.page = f"<!doctype html><title>Times</title>{script}{' '.join(times)}"

    page.goto("/")

    shown = page.locator("time")
    expect(shown.first).to_contain_text(str(before.year))
    expect(shown.last).not_to_contain_text(str(now.year))


def test_a_workers_time_never_parts_from_its_half_of_the_day(page: Page, site: Site) -> None:
    script = "<script type='module' src='/static/js/worker-time.js'></script>"
    time = "<time datetime='2026-01-02T15:48:00+00:00' data-local></time>"
    site.page = f"<!doctype html><html lang='en'><title>Time</title>{script}{time}"

    page.goto("/")

    expect(page.locator("time")).not_to_be_empty()
    words = page.locator("time").text_content() or ""
    assert re.search("[0-9]\N{NO-BREAK SPACE}[AP]M$", words)
