"""The task pages as HTML: allowed by the strict policy, labelled, and complete without scripts."""

import re
from dataclasses import fields
from datetime import UTC, datetime
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any

import pytest
from django.template.loader import render_to_string

from studies import task_types
from studies.views.task_page import (
    NOTHING_WRITTEN,
    Look,
    Recording,
    Texts,
    clock,
    dollars,
    filled_page,
    iso,
    render_page,
)
from tests.static.site import COMPLETE, ITEM, task_page

Tag = tuple[str, dict[str, str]]
OTHERS: dict[str, dict[str, Any]] = {
    "consent": {"consent_text": "One.\n\nTwo.", "agree_url": "/agree", "token": "t"},
    "recording": {"choice": None, "choose_url": "/recording", "token": "t"},
    "nothing_left": {"reason": "You have done every story of this round."},
    "send": {"submit_action": "http://localhost/submit", "fields": {"assignmentId": "A"}},
    "unavailable": {"title": "Not yours", "message": "It was returned.", "kept": True},
}


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[Tag] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def named(self, *names: str) -> list[dict[str, str]]:
        return [attrs for tag, attrs in self.found if tag in names]


def form_of(answers: dict[str, Any]) -> Any:
    return task_types.get("state_annotation").form_class(answers, item=ITEM)


def with_cautions() -> str:
    form = form_of(COMPLETE | {"revision_2": "The driver is impatient. He left."})
    assert form.is_valid()
    return task_page(form=form, cautions=form.cautions(), confirmed_cautions="a:b")


def all_pages() -> dict[str, str]:
    wrong = form_of(COMPLETE | {"assertion": "", "justification": [], "revision_1": ""})
    return {
        "empty": task_page(),
        "draft": task_page(COMPLETE),
        "errors": task_page(form=wrong),
        "cautions": with_cautions(),
        "preview": task_page(COMPLETE, preview=True),
        **{
            name: render_to_string(f"task/{name}.html", {"submit_origin": "", **context})
            for name, context in OTHERS.items()
        },
    }


PAGES = ["empty", "draft", "errors", "cautions", "preview", *OTHERS]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_inline_that_the_policy_refuses(name: str) -> None:
    tags = Tags(all_pages()[name])

    scripts = [a for a in tags.named("script") if a.get("type") != "application/json"]
    inline = [a for _, a in tags.found if "style" in a or any(n.startswith("on") for n in a)]

    assert all("src" in script for script in scripts)
    assert tags.named("style") == []
    assert inline == []


@pytest.mark.parametrize("name", PAGES)
def test_every_id_is_used_once_and_every_reference_leads_somewhere(name: str) -> None:
    tags = Tags(all_pages()[name])
    ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
    wanted = [
        target
        for _, attrs in tags.found
        for key in ("for", "aria-labelledby", "aria-describedby")
        for target in attrs.get(key, "").split()
    ]
    wanted += [a["href"][1:] for a in tags.named("a") if a.get("href", "").startswith("#")]

    assert len(ids) == len(set(ids))
    assert set(wanted) <= set(ids)


@pytest.mark.parametrize("name", PAGES)
def test_every_field_has_a_label(name: str) -> None:
    tags = Tags(all_pages()[name])
    labelled = {label.get("for") for label in tags.named("label")}

    fields = [a for a in tags.named("input", "textarea", "select") if a.get("type") != "hidden"]

    assert {field["id"] for field in fields} <= labelled


def test_the_form_carries_the_draft_without_scripts() -> None:
    tags = Tags(task_page(COMPLETE))

    ticked = [a["value"] for a in tags.named("input") if "checked" in a]
    names = [a["name"] for a in tags.named("textarea")]
    form = tags.named("form")[0]

    assert ticked == ["2"]
    assert names == ["assertion", "changed_assertion", *(f"revision_{n}" for n in range(1, 6))]
    assert (form["method"], form["action"]) == ("post", "/submit#steps")
    assert not any("disabled" in a for a in tags.named("textarea", "input", "fieldset"))


def test_errors_stand_beside_the_field_and_in_the_summary() -> None:
    html = all_pages()["errors"]
    message = "Sentence 1 is empty. Each box needs one sentence."

    assert f'<a href="#id_revision_1">{message}</a>' in html
    assert re.search(rf'id="error-revision_1">{re.escape(message)}<', html)


def test_cautions_are_confirmed_by_submitting_again() -> None:
    html = with_cautions()

    assert "Submit as it is" in html
    assert 'name="confirmed_cautions" value="a:b"' in html
    assert "caution-revision_2" in html


def test_a_preview_cannot_be_filled_or_submitted() -> None:
    tags = Tags(all_pages()["preview"])

    assert "disabled" in tags.named("fieldset")[0]
    assert not any(a.get("type") == "submit" for a in tags.named("button", "input"))


def test_text_of_a_story_is_escaped() -> None:
    nasty = {"story_id": "1", "title": "<b>T</b>", "sentences": ['<script>"x"</script>', "Two."]}
    form = task_types.get("state_annotation").form_class(item=nasty)

    html = task_page(item=nasty, form=form)

    assert "<b>T</b>" not in html
    assert '<script>"x"' not in html


ODD = ["</textarea><script>1</script>", "'\" & &amp;", "\n two lines\n", "", "{{ item }} %s"]
LOOKS = [
    Look(timed=True),
    Look(first_visit=True),
    Look(timed=True, recording=Recording(on=True)),
    Look(recording=Recording(on=False)),
]


@pytest.mark.parametrize("look", LOOKS)
def test_a_page_with_nothing_written_is_the_one_that_is_rendered_from_its_story(look: Look) -> None:
    task_type = task_types.get("state_annotation")
    for sentences in (ITEM["sentences"], ODD, ODD[::-1], ["One."]):
        item = ITEM | {"title": ODD[0], "sentences": sentences}
        texts = Texts(*[f"<{field.name}> & \"'" for field in fields(Texts)])
        form = task_type.form_class(item=item)

        page = filled_page(task_type, item, texts, look)

        assert page == render_page(task_type, item, form, vars(texts), look, NOTHING_WRITTEN)


def test_moments_and_money_are_written_as_everywhere() -> None:
    moment = datetime(2026, 11, 5, 7, 8, 9, tzinfo=UTC)

    assert (iso(moment), clock(moment)) == ("2026-11-05T07:08:09+00:00", "07:08 UTC")
    assert dollars(Decimal("0.3")) == "$0.30"
