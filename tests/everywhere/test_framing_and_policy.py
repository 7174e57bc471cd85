"""Who may frame a page, and what may run on it: asked of every address there is."""

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from tests.everywhere.routes import all_routes
from tests.everywhere.visits import Visit
from tests.test_architecture import inline_code

# Names of routes. Anything that is not listed may be framed by nobody.
TASK_PAGES = {"task", "task-consent", "task-recording", "task-submit", "task-send"}
SUBMIT_ANSWER = {"external-submit"}
PROBES = {"healthz", "readyz", "metrics"}
FRAMES_OTHERS = {"worker-group", "worker-accept", "worker-assignment"}


def policy_of(visit: Visit) -> dict[str, str]:
    written = visit.headers.get("Content-Security-Policy", "")
    directives = (part.strip().partition(" ") for part in written.split(";") if part.strip())
    return {name: value for name, _, value in directives}


def framers_of(visit: Visit) -> str:
    """Who may frame it, as a browser reads the headers; an old one reads the second alone."""
    return policy_of(visit).get("frame-ancestors", "anybody")


def test_every_pattern_was_gone_to(visits: list[Visit]) -> None:
    assert {visit.route for visit in visits} == set(all_routes())
    assert sum(visit.is_page and visit.status == 200 for visit in visits) > 200
    assert not [str(visit) for visit in visits if visit.status >= 500]


def test_task_pages_are_framed_by_the_origins_in_the_settings(visits: list[Visit]) -> None:
    found = [visit for visit in visits if visit.route.name in TASK_PAGES]

    assert {visit.route.name for visit in found} == TASK_PAGES
    assert {framers_of(visit) for visit in found} == {" ".join(settings.MTURK_SUBMIT_ORIGINS)}
    assert not [str(visit) for visit in found if "X-Frame-Options" in visit.headers]


def test_the_submit_answer_is_framed_by_its_own_origin(visits: list[Visit]) -> None:
    found = [visit for visit in visits if visit.route.name in SUBMIT_ANSWER]

    assert {visit.status for visit in found} >= {200, 400, 404, 405, 409, 410}
    assert {framers_of(visit) for visit in found} == {f"'self' {settings.WORKER_SITE_URL}"}


def test_nothing_else_is_framed_by_anybody(visits: list[Visit]) -> None:
    others = [v for v in visits if v.route.name not in TASK_PAGES | SUBMIT_ANSWER]

    against = [
        f"{visit}: {framers_of(visit)}, {visit.headers.get('X-Frame-Options')}"
        for visit in others
        if framers_of(visit) != "'none'" or visit.headers.get("X-Frame-Options") != "DENY"
    ]

    assert len(others) > 400
    assert not against, "\n".join(against)


def test_outside_the_admin_scripts_and_styles_come_from_files_only(visits: list[Visit]) -> None:
    """And nothing at all may be loaded that the policy does not name."""
    ours = [visit for visit in visits if not visit.route.is_admin]

    against = [
        f"{visit}: {policy}"
        for visit in ours
        if (policy := policy_of(visit))["default-src"] != "'none'"
        or policy["script-src"] != "'self'"
        or policy["style-src"] != "'self'"
        or policy["base-uri"] != "'none'"
        or re.search(r"unsafe|\*|data:", " ".join(policy.values()).replace("'self' data:", ""))
    ]

    assert len(ours) > 250
    assert not against, "\n".join(against)


def test_forms_lead_to_this_site_and_from_task_pages_to_the_marketplace(
    visits: list[Visit],
) -> None:
    origins = " ".join(settings.MTURK_SUBMIT_ORIGINS)
    allowed = dict.fromkeys(TASK_PAGES, f"'self' {origins}")

    against = [
        str(visit)
        for visit in visits
        if policy_of(visit)["form-action"] != allowed.get(visit.route.name, "'self'")
    ]

    assert not against, "\n".join(against)


def test_only_pages_that_hold_a_task_may_show_a_frame(visits: list[Visit]) -> None:
    framing = {visit.route.name for visit in visits if "frame-src" in policy_of(visit)}

    assert framing <= FRAMES_OTHERS
    assert framing


def test_no_page_outside_the_admin_carries_inline_code(visits: list[Visit]) -> None:
    pages = [visit for visit in visits if visit.is_page and not visit.route.is_admin]

    against = [f"{visit}: {found}" for visit in pages if (found := inline_code(visit.body))]

    assert len(pages) > 100
    assert not against, "\n".join(against)


def test_no_answer_lets_its_kind_be_guessed(visits: list[Visit]) -> None:
    """A browser that takes somebody's text for a script would run it; probes carry nobody's."""
    against = [
        str(visit)
        for visit in visits
        if visit.headers.get("X-Content-Type-Options") != "nosniff"
        and visit.route.pattern not in PROBES
    ]

    assert not against, "\n".join(against)


def test_answers_that_no_view_gives_are_framed_by_nobody(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    careful = Client(enforce_csrf_checks=True, raise_request_exception=False)
    monkeypatch.setattr("marketplace.site.sign_in.SignIn.get", lambda *_: 1 / 0)

    forged = careful.post("/worker/sign-in/", {})
    strange = careful.get("/worker/", headers={"host": "evil.example"})
    broken = careful.get("/worker/sign-in/")

    assert [r.status_code for r in (forged, strange, broken)] == [403, 400, 500]
    for response in (forged, strange, broken):
        assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
        assert "script-src 'self';" in response["Content-Security-Policy"]
        assert response["X-Frame-Options"] == "DENY"


def test_a_task_page_that_breaks_shows_in_the_frame(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    careful = Client(raise_request_exception=False)
    monkeypatch.setattr("studies.views.task.read_token", lambda _: 1 / 0)

    broken = careful.get(reverse("task-send"))

    origins = " ".join(settings.MTURK_SUBMIT_ORIGINS)
    assert broken.status_code == 500
    assert f"frame-ancestors {origins};" in broken["Content-Security-Policy"]
