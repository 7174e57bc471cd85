"""Pairs that were rated elsewhere: of two systems, on sides that the file may name."""

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from evaluation.models import Item, Rating, ResultFile
from evaluation.result_files import errors
from evaluation.result_files.mapping import read_map
from evaluation.services.importing import Reading, import_results
from evaluation.services.instruments import find_instrument
from studies.models import Participant, Study, Worker
from tests.evaluation.pair_file import MAP, pair, pair_file
from tests.evaluation.published import bring, rows_of
from tests.studies.factories import make_study
from tests.studies.members import make_member

pytestmark = pytest.mark.django_db
ON_THE_RIGHT = {"Input.left_system": "B", "Input.right_system": "A"}
ROWS = [
    pair("HIT1", "W1", (0, 0, 2)),
    pair("HIT2", "W1", (0, 1, 3), **ON_THE_RIGHT),
    pair("HIT2", "W2", (1, 1, 2), **ON_THE_RIGHT),
]


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


def bring_bytes(
    study: Study,
    content: bytes,
    *,
    rival: str = "B",
    map: Any = MAP,
    instrument: str = "pairwise",
) -> None:
    found = find_instrument(instrument)
    reading = Reading(found, "A", read_map(map, found.declared), rival=rival)
    import_results(study=study, source=BytesIO(content), name="pairs.csv", reading=reading)


def test_answers_are_about_systems_whichever_side_they_stood_on(study: Study) -> None:
    bring_bytes(study, pair_file(ROWS))

    item = Item.objects.get(key="HIT2")
    assert (item.system, item.rival, item.group) == ("A", "B", "source of HIT2")
    assert item.fields.keys() == {"first", "second", "right_system"}
    found = item.ratings.get(label="3HIT2W1")
    assert found.swapped is True
    assert found.answers == {"premise": "second", "plot": "first", "counterfactual": "equally_bad"}
    assert Rating.objects.get(label="3HIT1W1").swapped is False
    assert ResultFile.objects.get().rival == "B"


def test_without_sides_the_options_are_of_the_systems(study: Study) -> None:
    bring_bytes(study, pair_file(ROWS), map={"group": "Input.source"})

    assert [one.swapped for one in Rating.objects.all()] == [None] * 3
    assert Rating.objects.get(label="3HIT2W1").answers["premise"] == "first"


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_side_says_what_stands_on_the_other(study: Study, side: str) -> None:
    bring_bytes(study, pair_file(ROWS), map={side: f"Input.{side}_system"})

    assert [one.swapped for one in Rating.objects.order_by("label")] == [False, True, True]


def test_the_report_counts_what_was_worked_out_by_hand(study: Study, tmp_path: Path) -> None:
    """Premise: A, B, A are preferred. Plot: A, A, A. Counterfactual: two ties of good, one bad."""
    file, map = tmp_path / "pairs.csv", tmp_path / "map.json"
    file.write_bytes(pair_file(ROWS))
    map.write_text(json.dumps(MAP))

    told = bring("evenings", file, "pairwise", "A", "--rival", "B", "--map", str(map))

    assert (told["rival"], told["items"], told["ratings"]) == ("B", 2, 3)
    rows = rows_of("pairwise", "evenings")
    counted = [row for row in rows if row["metric"] != "strength"]
    assert all((row["system"], row["rival"], row["n"]) == ("A", "B", 3) for row in counted)
    by_question: dict[str, list[float]] = {}
    for row in counted:
        by_question.setdefault(row["question"], []).append(row["value"])
    assert by_question == {
        "premise": [2, 1, 0, 0],
        "plot": [3, 0, 0, 0],
        "counterfactual": [0, 0, 2, 1],
    }
    strengths = {
        row["system"]: row["value"]
        for row in rows
        if (row["metric"], row["question"]) == ("strength", "premise")
    }
    # Two wins of three: the log odds are ln 2, half of it on either side of nought.
    assert strengths == pytest.approx({"A": 0.34657, "B": -0.34657}, abs=1e-4)


BOTH = MAP | {"right": "Input.right_system"}
REFUSED: dict[str, tuple[bytes, dict[str, Any], type[errors.BadResults], str]] = {
    "no rival": (pair_file(ROWS), {"rival": ""}, errors.RivalNeeded, "name the second one"),
    "rival is the system": (pair_file(ROWS), {"rival": "A"}, errors.RivalNeeded, "two systems"),
    "unknown system": (
        pair_file([*ROWS, pair("HIT3", "W1", (0, 0, 0), **{"Input.left_system": "C"})]),
        {},
        errors.UnknownSide,
        "Row 5: “C” in the column “Input.left_system” is neither A nor B",
    ),
    "on both sides": (
        pair_file([pair("HIT1", "W1", (0, 0, 0), **{"Input.right_system": "A"})]),
        {"map": BOTH},
        errors.SidesContradict,
        "Row 2: one system stands on both sides",
    ),
    "no column of sides": (
        pair_file(ROWS, without=["Input.left_system"]),
        {},
        errors.ColumnMissing,
        "no column “Input.left_system”",
    ),
}


@pytest.mark.parametrize(("content", "more", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_pairs_that_cannot_be_told_apart_are_refused(
    study: Study, content: bytes, more: dict[str, Any], error: type[errors.BadResults], says: str
) -> None:
    with pytest.raises(error, match=says):
        bring_bytes(study, content, **more)

    assert not any(one.objects.exists() for one in (ResultFile, Item, Rating, Participant, Worker))


def test_the_command_wants_a_rival_of_its_own(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_bytes(pair_file(ROWS))

    with pytest.raises(CommandError, match="name the second one. Nothing was imported"):
        bring("evenings", file, "pairwise", "A")
    with pytest.raises(CommandError, match="and so is --rival"):
        bring("evenings", file, "pairwise", "A", "--rival", "B" * 101)


# --- In the admin -------------------------------------------------------------------------------
@pytest.fixture
def client(study: Study, settings: Settings, tmp_path: Path) -> Client:
    settings.MEDIA_ROOT = tmp_path
    client = Client()
    client.force_login(make_member(study))
    return client


def upload(client: Client, study: Study, **more: Any) -> Any:
    given = {
        "study": study.pk,
        "instrument": find_instrument("pairwise").pk,
        "system": "A",
        "rival": "B",
        "map": json.dumps(MAP),
        "file": SimpleUploadedFile("pairs.csv", pair_file(ROWS)),
    }
    return client.post(reverse("admin:evaluation_results_upload"), given | more)


def test_the_preview_shows_sides_and_systems(client: Client, study: Study) -> None:
    sided = client.get(upload(client, study)["Location"]).content.decode()
    assert "Answer.premise.0</code> <span>the one on the left" in sided
    assert re.search(r"HIT2</td>\s*<td>source of HIT2</td>\s*<td>B</td>", sided)

    plain = client.get(upload(client, study, map="")["Location"]).content.decode()
    assert "Answer.premise.0</code> <span>A<" in plain


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"rival": ""}, "Name the second system"),
        ({"rival": "A"}, "Name another system than the first"),
        ({"instrument": "likert"}, "Leave this empty"),
    ],
)
def test_the_form_asks_for_the_second_system(
    client: Client, study: Study, more: dict[str, str], says: str
) -> None:
    if "instrument" in more:
        more = {"instrument": str(find_instrument("timetravel-likert").pk), "map": ""}

    answer = upload(client, study, **more)

    assert answer.status_code == 422 and says in answer.content.decode()
