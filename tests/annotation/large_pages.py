"""The pages of review, standing and releases of a large study, and what each may ask for."""

import time
from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Release
from annotation.review import queue
from annotation.review.counted import counted_contributions
from tests.annotation.scenario import Scenario

# Statements that each page sends when a process shows it for the first time; the time that it
# takes is in `make bench`.
BUDGETS = {
    "figures": 20,
    "plans": 4,
    "plan": 15,
    "review": 14,
    "next response": 16,
    "standings": 9,
    "apply": 12,
    "decisions": 5,
    "releases": 5,
    "release": 3,
    "build a release": 7,
    "participants": 5,
}


def statements_of_pages(scenario: Scenario, release: Release) -> dict[str, int]:
    """Of the first look at each page."""
    found = {}
    for name, browser, address in _looks(scenario, release):
        with CaptureQueriesContext(connection) as captured:
            _look(browser, address)
        found[name] = len(captured)
    return found


def milliseconds_of_pages(scenario: Scenario, release: Release) -> dict[str, float]:
    """Of the second look at each page: the first one of a process compiles its templates."""
    found = {}
    for name, browser, address in _looks(scenario, release):
        _look(browser, address)
        began = time.perf_counter()
        _look(browser, address)
        found[name] = round(1000 * (time.perf_counter() - began), 1)
    return found


def _looks(scenario: Scenario, release: Release) -> Iterator[tuple[str, Client, str]]:
    researcher = Client()
    name = f"researcher-{User.objects.count()}"
    researcher.force_login(User.objects.create_superuser(name, "", "a-long-password"))
    expert = Client()
    expert.force_login(scenario.experts[1])
    for name, address in _addresses(scenario, release).items():
        yield name, expert if name in {"review", "next response"} else researcher, address


def _look(browser: Client, address: str) -> None:
    answer = browser.get(address)
    assert answer.status_code == 200, (address, answer.status_code)


def _addresses(scenario: Scenario, release: Release) -> dict[str, str]:
    study = scenario.study.pk
    other = counted_contributions(scenario.plan).filter(pick=None)[0]
    turn = queue.open_single(reviewer=scenario.experts[1], contribution=other)
    of_study = f"?study={study}"
    return {
        "figures": reverse("admin:studies_study_figures", args=[study]),
        "plans": reverse("admin:annotation_reviewplan_changelist"),
        "plan": reverse("admin:annotation_reviewplan_change", args=[scenario.plan.pk]),
        "review": reverse("admin:annotation_review"),
        "next response": reverse("admin:annotation_review_turn", args=[turn.pk]),
        "standings": reverse("admin:annotation_standings", args=[study]),
        "apply": reverse("admin:annotation_standings_apply", args=[study]),
        "decisions": reverse("admin:annotation_decision_changelist"),
        "releases": reverse("admin:annotation_release_changelist"),
        "release": reverse("admin:annotation_release_change", args=[release.pk]),
        "build a release": reverse("admin:annotation_release_build") + of_study,
        "participants": reverse("admin:studies_participant_changelist"),
    }
