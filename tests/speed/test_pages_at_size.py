"""Lists, dashboards and the worker's pages cost the same whatever there is: few statements, and
none that reads through a large table."""

import pytest
from django.core.cache import cache
from django.test import Client

from database.bounded_lists import COUNTED
from studies.services import kept_figures
from tests.speed.many_rows import Crowded, fill
from tests.speed.pages import costs_of_pages

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]
# Three times what is ever counted; `make bench` looks at a million.
ROWS = 30_000
UNDER = 10
# A count that stops in time, and its page.
MOST_READ = COUNTED + 500


def test_every_page_sends_fewer_than_ten_statements_and_reads_no_table_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_figures, "CHEAP_SECONDS", 0)
    monkeypatch.setattr(kept_figures, "TIMES_AS_LONG", 1000)
    site = fill(ROWS)

    costs = costs_of_pages(site)

    against = [
        f"{name}: {cost.statements} statements, {cost.most_read} rows by {cost.by[:600]}"
        for name, cost in costs.items()
        if cost.statements >= UNDER or cost.most_read > MOST_READ
    ]
    assert len(costs) > 30
    assert not against, "\n".join(against)
    _what_a_list_says(site)
    # Where counting is fast, nothing is kept: it takes no more statements then.
    cache.clear()
    monkeypatch.setattr(kept_figures, "CHEAP_SECONDS", 1000)
    anew = costs_of_pages(site, kept_only=True)
    assert {name: cost.statements for name, cost in anew.items() if cost.statements >= UNDER} == {}


def _what_a_list_says(site: Crowded) -> None:
    browser = Client()
    browser.force_login(site.staff)

    whole = browser.get("/admin/studies/response/")
    few = browser.get("/admin/studies/response/?q=w-29999")
    last = browser.get("/admin/studies/response/?p=290")

    assert "about 30,000 responses" in whole.text
    assert "Next page" in whole.text
    assert "To choose all rows" in whole.text and "across all pages" not in whole.text
    assert "about" not in few.text.split("<main")[-1]
    assert few.context["cl"].result_count == 1
    assert len(last.context["cl"].result_list) == 100
