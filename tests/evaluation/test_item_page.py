"""Behind a number: what raters were shown, as they saw it, and what they said."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from evaluation.instruments.pasta import STATE_INFERENCE, STORY_REVISION
from evaluation.models import Item
from evaluation.result_files.shown import shown_fields
from studies.models import Study
from tests.evaluation.rated import each, make_item, together
from tests.studies.factories import make_study
from tests.studies.members import make_member

STORY = ["Mira set the kettle on the stove.", "The rain had not stopped.", "She was bored."]
REVISED = ["Mira set the kettle on the stove.", "The sun was out.", "She was bored."]
LINES = {f"Input_line{number}": text for number, text in enumerate(STORY, 1)}


@pytest.fixture
def study(db: None) -> Study:
    return make_study(slug="evenings")


@pytest.fixture
def client(study: Study) -> Client:
    client = Client()
    client.force_login(make_member(study))
    return client


def html_of(client: Client, item: Item) -> str:
    address = reverse("admin:evaluation_item_change", args=[item.pk])
    return client.get(address).content.decode()


def test_a_revision_is_shown_with_the_words_that_differ(client: Client, study: Study) -> None:
    fields = {"story": STORY, "state": "The day is dry.", "revision": REVISED}
    answers = together(inferable=(4, 3, 4), logical=(1, 1, 0), degree=(0, 1, 0))

    html = html_of(client, make_item(study, "story-revision", *answers, fields=fields))

    deleted, inserted = (
        [strip_tags(one) for one in re.findall(rf"<{tag}>(.*?)</{tag}>", html)]
        for tag in ("del", "ins")
    )
    assert deleted == ["[deleted: rain had not stopped]"]
    assert inserted == ["[inserted: sun was out]"]
    assert html.count("Extremely likely") == 2 and "3 ratings" in html


def test_a_reason_that_was_marked_is_marked(client: Client, study: Study) -> None:
    fields = {"story": STORY, "state": "Mira is bored.", "marked": [3]}

    html = html_of(
        client, make_item(study, "state-inference", *each("inferable", 4), fields=fields)
    )

    assert re.findall(r'<li class="ev-marked">(.*?)\s*<span', html) == ["She was bored."]


def test_a_pair_stands_side_by_side_under_its_systems(client: Client, study: Study) -> None:
    fields = {"first": "She walked home.", "second": "She took the bus."}
    given = each("plot", "first", "second", "equally_good")
    item = make_item(study, "pairwise", *given, system="alpha", rival="beta", fields=fields)
    for rating, swapped in zip(item.ratings.order_by("pk"), (False, True, None), strict=True):
        rating.swapped = swapped
        rating.save()

    html = html_of(client, item)

    assert re.findall(r"ev-beside[^>]*>\s*<h3>(\w+)</h3>\s*<p>(.*?)\s*</p>", html) == [
        ("alpha", "She walked home."),
        ("beta", "She took the bus."),
    ]
    on_the_left = html.split("On the left")[1].split("</tbody>")[0]
    assert re.findall(r"<strong>(\w+)</strong>", on_the_left) == ["alpha", "beta"]
    assert '<strong>second</strong> <span class="st-hint">beta</span>' in html


# --- Files made elsewhere -----------------------------------------------------------------------
def test_columns_of_a_file_are_shown_as_the_instrument_names_them(
    client: Client, study: Study
) -> None:
    more = {"Answer_mod_assertion": "The day is dry.", "gen_op": "The sun was out."}
    revised = {f"mod_line{number}": text for number, text in enumerate(REVISED, 1)}
    fields = LINES | more | revised

    html = html_of(client, make_item(study, "story-revision", fields=fields))

    assert "sun was out" in "".join(re.findall(r"<ins>.*?</ins>", html))
    assert "<dt>gen_op</dt>" in html and "Nobody has rated" in html


def test_an_asterisk_marks_a_sentence_in_the_published_files() -> None:
    fields = LINES | {"Input_line2": "* The rain had not stopped.", "assertion": "It is wet."}

    assert shown_fields(fields, STATE_INFERENCE) == {
        "story": STORY,
        "state": "It is wet.",
        "marked": [2],
    }


def test_a_story_in_one_column_is_one_text() -> None:
    fields = {"Story": "One. Two.", "Mod_Story": "Theirs.", "Mod_Story_gpt3": "One. Three."}

    assert shown_fields(fields, STORY_REVISION) == {
        "story": ["One. Two."],
        "revision": ["One. Three."],
    }
