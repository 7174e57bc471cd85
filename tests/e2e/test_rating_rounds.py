"""Instruments as raters meet them: four rounds in the marketplace, three people at real browsers,
all answers by keyboard; and the tables that come of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Frame, expect

from tests.e2e import study
from tests.e2e.people import Person, saved
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
STORY = ["Omar came home after dark.", "He fell onto the sofa.", "The radio was still on."]
AWAKE = ["Omar came home after dark.", "He danced past the sofa.", "The radio was still on."]
OTHERWISE = ["A ship sank.", "Nobody heard of it.", "The sea was calm."]
REVISED = {"story": STORY, "state": "Omar is wide awake."}
ENDING = {"premise": "Omar came home after dark.", "counterfactual": "He was not tired at all."}
ITEMS: dict[str, list[dict[str, Any]]] = {
    "state-inference": [
        {
            "system": "alder",
            "id": "i",
            "part": part,
            "story": STORY,
            "state": state,
            "gold": {"inferable": gold},
        }
        for part, state, gold in (
            ("story_state", "Omar is tired.", 1),
            ("story_mod_state", "Omar is wide awake.", 0),
        )
    ],
    "story-revision": [
        {"system": "alder", "id": "r", **REVISED, "revision": AWAKE},
        {"system": "birch", "id": "r", **REVISED, "revision": OTHERWISE},
    ],
    "state-change": [
        {"system": "alder", "id": "c", "part": part, "story": STORY, "revision": AWAKE, "state": s}
        for part, s in (("state", "Omar is tired."), ("mod_state", "Omar is wide awake."))
    ],
    "pairwise": [
        {"system": "alder", "id": "p", **ENDING, "output": "He danced."},
        {"system": "birch", "id": "p", **ENDING, "output": "He slept."},
    ],
}
# By what a text says: the keys of the three raters. Of pairs, D is the ending in which he danced
# and S the one in which he slept, whichever side they stand on.
KEYS = {
    "state-inference": {"is tired": ("5", "4", "3"), "is wide awake": ("4", "4", "2")},
    "story-revision": {"danced": ("5y1", "5n2", "2y1"), "A ship sank": ("4y4", "2y4", "1n3")},
    "state-change": {
        "is tired": ("y511", "y421", "n542"),
        "is wide awake": ("n151", "n253", "y431"),
    },
    "pairwise": {"danced": ("DD3", "DS4", "SDD")},
}
# Worked out by hand from these.
TABLES: dict[str, dict[tuple[str, ...], float]] = {
    "state_inference": {("alder", "accuracy"): 50.0, ("alder", "contrastive"): 0.0},
    "story_revision": {
        ("alder", "inferable"): 100.0,
        ("alder", "logical"): 100.0,
        ("alder", "all"): 100.0,
        ("alder", "minimal"): 88.8889,
        ("birch", "inferable"): 0.0,
        ("birch", "logical"): 100.0,
        ("birch", "all"): 0.0,
        ("birch", "minimal"): 11.1111,
    },
    "state_change": {
        ("alder", "attribute"): 50.0,
        ("alder", "inferable"): 50.0,
        ("alder", "not_in_story"): 100.0,
        ("alder", "all"): 33.3333,
    },
    "pairwise": {
        ("premise", "wins"): 2,
        ("premise", "losses"): 1,
        ("premise", "equally_good"): 0,
        ("premise", "equally_bad"): 0,
        ("plot", "wins"): 2,
        ("plot", "losses"): 1,
        ("plot", "equally_good"): 0,
        ("plot", "equally_bad"): 0,
        ("counterfactual", "wins"): 1,
        ("counterfactual", "losses"): 0,
        ("counterfactual", "equally_good"): 1,
        ("counterfactual", "equally_bad"): 1,
    },
}


def test_four_instruments_are_rated_by_three_people_and_their_tables_are_right(
    stack: Stack, chromium: Browser, tmp_path: Path
) -> None:
    groups = launch_all(stack, tmp_path)
    for rater, name in enumerate(("Ada", "Bo", "Cy")):
        person = Person(chromium)
        person.join(study.invitation(stack, name), name)
        for instrument, group in groups.items():
            rate(person, stack, group, instrument, rater, reloads=name == "Ada")
        person.context.close()

    stack.wait_for("SELECT count(*) = 12 FROM studies_response WHERE state = 'confirmed'")
    assert {name: table(stack, name) for name in TABLES} == TABLES
    two_clicks_lead_to_the_three_ratings(stack, chromium)


def launch_all(stack: Stack, folder: Path) -> dict[str, str]:
    """A round for each instrument; where workers find it."""
    study.make_requester(stack)
    stack.call("create_study", study.STUDY, "--title", "Harbour ratings")
    groups = {}
    for instrument, items in ITEMS.items():
        file = folder / f"{instrument}.jsonl"
        file.write_text("\n".join(json.dumps(item) for item in items), encoding="utf-8")
        asked = ["--task=rating", f"--instrument={instrument}", f"--items={file}", "--same-raters"]
        stack.call("launch_round", study.STUDY, *asked, "--overlap=3", "--reward=0.10")
        ((groups[instrument],),) = stack.query(
            "SELECT group_id FROM marketplace_hittype JOIN studies_round USING (hit_type_id) "
            "ORDER BY number DESC LIMIT 1"
        )
    return groups


def rate(
    person: Person, stack: Stack, group: str, instrument: str, rater: int, *, reloads: bool
) -> None:
    person.page.goto(f"{stack.worker_site_url}/worker/groups/{group}/")
    person.page.get_by_role("button", name="Accept").click()
    person.page.wait_for_url("**/worker/assignments/**")
    frame = person.frame()
    expect(frame.locator("html")).to_have_attribute("data-task-ready", "")
    if frame.locator("dialog[open]").count():
        person.page.keyboard.press("Escape")
    assert "alder" not in frame.content() and "birch" not in frame.content()
    keys = "".join(keys_for(instrument, text, rater) for text in texts_of(frame))
    if reloads and instrument == "story-revision":
        person.page.keyboard.press(keys[0])
        saved(frame)
        person.page.reload()
        frame, keys = person.frame(), keys[1:]
        expect(frame.locator("html")).to_have_attribute("data-task-ready", "")
    for key in keys:
        person.page.keyboard.press(key)
    expect(frame.locator("#submit-button")).to_be_focused()
    person.page.keyboard.press("Enter")
    person.thanked()


def texts_of(frame: Frame) -> list[str]:
    """What each item of the page shows, in the order of this rater."""
    return frame.locator("[data-item] .story").all_inner_texts()


def keys_for(instrument: str, text: str, rater: int) -> str:
    keys = next(keys[rater] for words, keys in KEYS[instrument].items() if words in text)
    dance_stands_left = text.find("danced") < text.find("slept")
    return keys.translate(str.maketrans("DS", "12" if dance_stands_left else "21"))


def table(stack: Stack, name: str) -> dict[tuple[str, ...], float]:
    rows = json.loads(stack.call("report", name, "--study", study.STUDY, "--format=json"))
    column = "question" if name == "pairwise" else "system"
    return {
        (row[column], row["metric"]): round(row["value"], 4)
        for row in rows
        if row["metric"] != "strength"
    }


def two_clicks_lead_to_the_three_ratings(stack: Stack, chromium: Browser) -> None:
    with stack.django():
        client = Client()
        client.force_login(User.objects.create_superuser("helena", "", "a long enough password"))
        ((pk,),) = stack.query("SELECT id FROM studies_study")
    person = Person(chromium)
    for cookie in client.cookies.values():
        own = {"name": cookie.key, "value": cookie.value, "url": stack.task_site_url}
        person.context.add_cookies([own])  # type: ignore[list-item]
    page = person.page
    page.goto(f"{stack.task_site_url}/admin/evaluation/item/study/{pk}/story_revision/")
    page.get_by_role("link", name="88.89").click()
    page.locator("main a[href*='/evaluation/item/'][href*='/change/']").first.click()

    expect(page.get_by_text("3 ratings")).to_be_visible()
    expect(page.locator("main")).to_contain_text("danced")
    person.context.close()
