"""What people write is shown as they wrote it, and run by no browser, wherever it appears."""

import csv
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.core.management import call_command

from studies.models import Study
from tests.everywhere.conftest import HOSTILE
from tests.everywhere.visits import Visit
from tests.everywhere.world import make_world

LEADING = {"href", "src", "action", "formaction", "data", "srcdoc", "hx-get", "hx-post"}
NOT_RUN = {"application/json", "importmap"}
# The API's answers: with nosniff, which every answer has, no browser takes them for a page.
NO_BROWSER_RUNS = {
    *("application/json", "application/problem+json", "application/x-ndjson"),
    "text/csv",
}
# Pages on which people's words have to be found; others may show none.
SHOWN_ON = {
    *("worker-list", "worker-group", "worker-assignment", "worker-return", "worker-history"),
    *("worker-account", "worker-join", "worker-enter", "task", "task-recording", "task-submit"),
    *("index", "studies_study_changelist", "studies_study_change", "studies_study_launch"),
    *("studies_story_changelist", "studies_story_change", "studies_round_changelist"),
    *("studies_round_change", "studies_response_changelist", "studies_response_change"),
    *("studies_job_changelist", "studies_job_change", "studies_job_live"),
    *("studies_payment_change", "config_auditentry_changelist", "config_auditentry_change"),
    *("auth_group_changelist", "auth_user_change", "marketplace_requester_changelist"),
    *("marketplace_worker_changelist", "marketplace_worker_change"),
    *("marketplace_hittype_changelist", "marketplace_hittype_change", "marketplace_hit_change"),
    *("marketplace_assignment_change", "marketplace_invitation_changelist"),
    *("marketplace_qualificationtype_changelist", "marketplace_qualificationgrant_changelist"),
    *("marketplace_workerblock_changelist", "marketplace_ledgerentry_changelist"),
    *("worker-messages", "marketplace_message_changelist", "marketplace_message_change"),
    *("marketplace_notificationdestination_changelist", "marketplace_invitation_change"),
    *("annotation_review", "annotation_review_turn", "annotation_review_upcoming"),
    *("annotation_review_adjudicate", "annotation_review_put_off"),
    *("annotation_reviewplan_changelist", "annotation_reviewplan_change"),
    *("annotation_release_changelist", "annotation_release_change", "annotation_release_build"),
    *("annotation_standings", "annotation_standings_apply", "annotation_decision_changelist"),
}


class Reader(HTMLParser):
    """Reads a page as a browser does, and notes what of the hostile text became code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.text: list[str] = []
        self._script: dict[str, str | None] | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._script = dict(attrs) if tag == "script" else None
        for name, value in attrs:
            if "data-evil" in name:
                self.found.append(f"<{tag}> got an attribute of the text")
            if name in LEADING and (value or "").strip().lower().startswith("javascript:"):
                self.found.append(f"{tag}[{name}] runs its address")
            if name.startswith(("on", "x-", ":", "@", "hx-on")) and "data-evil" in (value or ""):
                self.found.append(f"{tag}[{name}] holds the text as code")
            if name in {"value", "aria-label", "title", "placeholder"}:
                self.text.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.text.append(data)
        elif self._script.get("type") in NOT_RUN:
            json.loads(data)
        elif "data-evil" in data or "\u2028" in data:
            self.found.append("a script holds the text")


def test_no_page_takes_the_text_for_markup_or_code(visits: list[Visit]) -> None:
    pages = [visit for visit in visits if visit.is_page]

    against = [f"{visit}: {found}" for visit in pages if (found := Reader(visit.body).found)]

    assert len(pages) > 300
    assert not against, "\n".join(against)


def test_it_is_there_to_read_on_every_page_that_shows_what_people_wrote(
    visits: list[Visit],
) -> None:
    shows = {
        visit.route.name
        for visit in visits
        if visit.is_page
        and visit.status in {200, 422}
        and any(HOSTILE in text for text in Reader(visit.body).text)
    }

    assert sorted(SHOWN_ON - shows) == []


def test_answers_for_scripts_are_not_pages(visits: list[Visit]) -> None:
    """A browser that is led to an address for programs finds data there, not a page."""
    against = [
        str(v)
        for v in visits
        if not v.is_page
        and "<script data-evil" in v.body
        and v.headers["Content-Type"].partition(";")[0] not in NO_BROWSER_RUNS
    ]

    assert not against


@pytest.mark.parametrize("fmt", ["jsonl", "csv"])
def test_an_export_holds_it_whole_in_one_row(fmt: str, db: None, tmp_path: Path) -> None:
    make_world(HOSTILE)
    file = tmp_path / f"out.{fmt}"

    call_command("export_responses", Study.objects.get().slug, format=fmt, output=file)

    written = file.read_bytes().decode()
    if fmt == "jsonl":
        rows = [json.loads(line) for line in written.splitlines()]
        texts = [row["assertion"] for row in rows]
    else:
        rows = list(csv.DictReader(written.split("\r\n")))
        texts = [row["assertion"] for row in rows]
    assert texts == [HOSTILE] * 4


@pytest.mark.parametrize(
    "html",
    [
        "<p data-evil>",
        "<a href=' JavaScript:x()'>",
        "<script>let a = 'data-evil'</script>",
        "<i x-data='data-evil'>",
    ],
)
def test_text_that_became_code_is_recognised(html: str) -> None:
    assert Reader(html).found
