"""A browser keeps no page of somebody's, so that the next person finds none by going back."""

import pickle
from typing import Any

from django.core.cache import caches
from django.template import engines

from tests.everywhere.conftest import HOSTILE
from tests.everywhere.visits import NOBODY, Visit

# Of the visitor these show a user name at most.
SAY_NOTHING = {"password_change", "password_change_done", "account_inactive"}


def test_pages_of_signed_in_people_and_of_tasks_are_stored_nowhere(visits: list[Visit]) -> None:
    personal = [
        visit
        for visit in visits
        if visit.is_page
        and visit.status < 300
        and visit.route.name not in SAY_NOTHING
        and (visit.who != NOBODY or visit.route.pattern.startswith("task/"))
    ]

    against = [
        str(visit) for visit in personal if "no-store" not in visit.headers.get("Cache-Control", "")
    ]

    assert len(personal) > 120
    assert not against, "\n".join(against)


def test_parts_of_pages_that_are_kept_for_everybody_hold_nothing_of_anybody(
    visits: list[Visit],
) -> None:
    engine: Any = engines["task pages"]
    of_task_pages = list(engine.env.parts.values())
    kept: Any = caches["parts"]
    of_others = [pickle.loads(value) for value in kept._cache.values()]

    assert visits
    assert of_task_pages
    assert of_others
    assert not [part for part in [*of_task_pages, *of_others] if HOSTILE[9:20] in part]
