"""Result files come in whole, with all that real ones bring, or not at all."""

import io
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from evaluation.models import Item, Rating, ResultFile
from evaluation.result_files import errors
from evaluation.result_files.mapping import read_map, usual_map
from evaluation.services.importing import (
    AlreadyImported,
    ImportSummary,
    Reading,
    import_results,
)
from evaluation.services.instruments import find_instrument
from studies.models import Participant, Study, Worker
from tests.evaluation.published import bring, values_of
from tests.evaluation.result_file import (
    AFTER,
    BEFORE,
    INPUTS,
    four_items,
    rating,
    result_file,
)
from tests.evaluation.result_file import (
    columns as option_columns,
)
from tests.studies.factories import make_study
from tests.studies.test_two_at_once import beside

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


def bring_bytes(
    study: Study,
    content: bytes,
    *,
    system: str = "people",
    reverse: Sequence[str] = (),
    map: Any = None,
) -> ImportSummary:
    instrument = find_instrument("state-inference")
    declared = instrument.declared
    columns = usual_map(declared) if map is None else read_map(map, declared)
    return import_results(
        study=study,
        source=io.BytesIO(content),
        name="results.csv",
        reading=Reading(instrument, system, columns, reverse),
    )


@pytest.mark.django_db(transaction=True)
def test_workers_come_into_the_study_while_a_file_is_imported() -> None:
    study = make_study()
    worker = Worker.objects.create(marketplace_id="COMES")

    with transaction.atomic():
        bring_bytes(study, result_file(four_items()))
        coming = beside(lambda: Participant.objects.create(study=study, worker=worker))
        coming.join(5)
        came = not coming.is_alive()
    coming.join(10)

    assert came


# --- What comes in ------------------------------------------------------------------------------
def test_items_and_ratings_come_in_as_they_are(study: Study) -> None:
    summary = bring_bytes(study, result_file(four_items()))

    assert (summary.items, summary.ratings, summary.raters, summary.left_out) == (4, 12, 3, 0)
    item = Item.objects.get(key="HIT0")
    assert (item.system, item.group, item.part) == ("people", "3TUPLE", "story_state")
    assert item.gold == {"inferable": 1}
    assert item.fields == {
        "line1": "The rain had not stopped\nsince noon,\r\rand the cups were counted.",
        "state": "Mira is bored.",
    }
    rating = item.ratings.get(label="3HIT0W0")
    assert rating.answers == {"inferable": 4}
    assert rating.submitted_at == datetime(2022, 11, 26, 23, 2, 9, tzinfo=UTC)
    assert rating.rater.worker.marketplace_id == "W0" and rating.swapped is None


def test_the_numbers_are_those_worked_out_by_hand(study: Study) -> None:
    # Of four items the last is found likely by one of three: wrong. So one story of two is right.
    bring_bytes(study, result_file(four_items()))

    assert values_of("state_inference", "evenings") == {"accuracy": 75.0, "contrastive": 50.0}


@pytest.mark.parametrize("first", [0, 1])
def test_options_count_from_nought_or_one(study: Study, first: int) -> None:
    bring_bytes(study, result_file([rating("HIT", "W", 3)], first=first))

    assert Rating.objects.get().answers == {"inferable": 3}


@pytest.mark.parametrize("name", ["sb_entail_a", "inferable"])
def test_a_question_is_reversed_by_either_name(study: Study, name: str) -> None:
    summary = bring_bytes(study, result_file([rating("HIT", "W", 3)]), reverse=[name])

    assert Rating.objects.get().answers == {"inferable": 1}
    assert summary.columns["inferable"]["reversed"] is True
    assert ResultFile.objects.get().columns == summary.columns


def test_items_with_two_ratings_and_capital_letters_come_in(study: Study) -> None:
    shouting = {"place 1": "TRUE", "place 0": "FALSE"}
    rows = [rating("HIT", "W1", 2), rating("HIT", "W2", 0, **shouting)]

    assert bring_bytes(study, result_file(rows)).ratings == 2


def test_a_mark_of_the_byte_order_is_no_part_of_a_name(study: Study) -> None:
    assert bring_bytes(study, b"\xef\xbb\xbf" + result_file(four_items())).items == 4


def test_worked_examples_are_passed_over_whatever_they_say(study: Study) -> None:
    content = result_file([rating("HIT", "W", 2)])
    odd = content.replace(b'"false"', b'"true"', 2).replace(b'"false"', b'"perhaps"', 1)

    bring_bytes(study, odd)

    assert Rating.objects.get().answers == {"inferable": 2}


def test_rejected_assignments_are_left_out(study: Study) -> None:
    rejected = rating("HIT", "W2", (), AssignmentStatus="Rejected")

    summary = bring_bytes(study, result_file([rating("HIT", "W1", 4), rejected]))

    assert (summary.ratings, summary.left_out) == (1, 1)
    assert ResultFile.objects.get().left_out == 1
    with pytest.raises(errors.BadResults, match="All assignments in the file were rejected"):
        bring_bytes(study, result_file([rejected]))


def test_a_worker_keeps_a_pseudonym_over_files(study: Study) -> None:
    bring_bytes(study, result_file([rating("HIT1", "W1", 4)]))
    bring_bytes(study, result_file([rating("HIT2", "W1", 4)]), system="another")

    assert Participant.objects.get().ratings.count() == 2


def test_a_map_names_other_columns(study: Study) -> None:
    header = [*BEFORE, *INPUTS, *option_columns(), *AFTER]
    content = result_file(four_items(), header=header).replace(b"sb_entail_a", b"how_likely")

    bring_bytes(study, content, map={"questions": {"inferable": "how_likely"}, "gold": None})

    assert Item.objects.filter(gold={}).count() == 4


# --- What is refused ----------------------------------------------------------------------------
ONE = rating("HIT", "W", 3)
BAD_ROWS: dict[str, tuple[dict[str, str], type[errors.BadResults], str]] = {
    "nothing chosen": (
        rating("HIT", "X", ()),
        errors.NothingChosen,
        "Row 3: question “inferable”: no option was chosen",
    ),
    "two chosen": (
        rating("HIT", "X", (1, 2)),
        errors.TwoChosen,
        r"Row 3: question “inferable”: more than one option .*a\.1, Answer\.sb_entail_a\.2",
    ),
    "no truth": (ONE | {"WorkerId": "X", "place 2": "maybe"}, errors.NotTrueOrFalse, "maybe"),
    "unknown zone": (
        rating("HIT", "X", 1, SubmitTime="Sat Nov 26 15:01:24 XYZ 2022"),
        errors.BadTime,
        "Row 3: “Sat Nov 26 15:01:24 XYZ 2022” in the column “SubmitTime”",
    ),
    "a time after all calendars": (
        rating("HIT", "X", 1, SubmitTime="Fri Dec 31 23:59:59 PST 9999"),
        errors.BadTime,
        "Row 3: “Fri Dec 31 23:59:59 PST 9999” .* is no time",
    ),
    "a year of many digits": (
        rating("HIT", "X", 1, AcceptTime=f"Fri Dec 31 23:59:59 UTC {'9' * 23}"),
        errors.BadTime,
        "Row 3: “Fri Dec 31 23:59:59 UTC 9999",
    ),
    "no time": (rating("HIT", "X", 1, SubmitTime=""), errors.BadTime, "Row 3"),
    "a year of two digits": (
        rating("HIT", "X", 1, SubmitTime="Sat Nov 26 15:01:24 PST 22"),
        errors.BadTime,
        "Row 3: “Sat Nov 26 15:01:24 PST 22” in the column “SubmitTime”",
    ),
    "no day": (
        rating("HIT", "X", 1, SubmitTime="Sat Feb 31 15:01:24 PST 2022"),
        errors.BadTime,
        "Row 3",
    ),
    "no worker": (rating("HIT", "", 1), errors.CellEmpty, "Row 3: the column “WorkerId” is empty"),
    "long id": (rating("H" * 201, "X", 1), errors.CellTooLong, "more than 200"),
    "unknown part": (
        rating("HIT2", "X", 1, **{"Input.story_state_flag": "both"}),
        errors.UnknownGold,
        "Row 3: “both” .*Known: story_state",
    ),
    "same rating": (ONE | {"WorkerId": "X"}, errors.RatingTwice, "Row 3: the rating 3HITW"),
    "rated twice": (ONE | {"AssignmentId": "3OTHER"}, errors.RatedTwice, "Row 3: a worker has"),
    "other item": (
        rating("HIT", "X", 1, **{"Input.state": "Mira is tired."}),
        errors.ItemDiffers,
        "Row 3: the item HIT",
    ),
}


@pytest.mark.parametrize(("row", "error", "says"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_row_that_is_wrong_is_named_and_nothing_is_stored(
    study: Study, row: dict[str, str], error: type[errors.BadResults], says: str
) -> None:
    with pytest.raises(error, match=says):
        bring_bytes(study, result_file([ONE, row]))

    assert_nothing_stored()


def without(name: str) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(name.encode(), b"Other")


GOOD = result_file([ONE])
BAD_FILES: dict[str, tuple[bytes, type[errors.BadResults], str]] = {
    "empty": (b"", errors.NotReadable, "empty"),
    "no rows": (GOOD.splitlines()[0], errors.BadResults, "no ratings"),
    "semicolons": (GOOD.replace(b",", b";"), errors.NotReadable, "Row 1 .*between commas"),
    "tabs": (
        GOOD.replace(b'"', b"").replace(b",", b"\t"),
        errors.NotReadable,
        "a single cell, “HITId\t.*between commas",
    ),
    "not utf-8": (GOOD + b"\xff", errors.NotReadable, "not in UTF-8"),
    "quote open": (GOOD[:-1], errors.NotReadable, "Row 2 cannot be read: a quotation mark"),
    "nul": (GOOD.replace(b"bored", b"bo\0red"), errors.NotReadable, r"Row 2 .*\(NUL\)"),
    "long row": (GOOD + b',"","",""', errors.BadLength, "Row 2: it has 27 cells, and there are 26"),
    "short row": (GOOD[: GOOD.rindex(b",")], errors.BadLength, "Row 2: it has 23 cells"),
    "no item": (without("HITId")(GOOD), errors.ColumnMissing, "no column “HITId”"),
    "no source": (
        without("Input.AssignmentId")(GOOD),
        errors.ColumnMissing,
        "no column “Input.AssignmentId”",
    ),
    "no answers": (
        GOOD.replace(b"Answer.sb_", b"Answer.sc_"),
        errors.ColumnMissing,
        r"Question “inferable” .*“Answer\.sb_entail_a\.0”",
    ),
    "column twice": (GOOD.replace(b'"Title"', b'"WorkerId"'), errors.ColumnTwice, "two columns"),
    "one option less": (
        without("Answer.sb_entail_a.4")(GOOD),
        errors.OptionsDiffer,
        "has 5 options, .* numbered 0, 1, 2, 3",
    ),
    "counts from two": (result_file([ONE], first=2), errors.OptionsDiffer, "numbered 2, 3"),
    "a number left out": (
        GOOD.replace(b"Answer.sb_entail_a.4", b"Answer.sb_entail_a.5"),
        errors.OptionsDiffer,
        "numbered 0, 1, 2, 3, 5",
    ),
}


@pytest.mark.parametrize(("content", "error", "says"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_is_wrong_is_refused_whole(
    study: Study, content: bytes, error: type[errors.BadResults], says: str
) -> None:
    with pytest.raises(error, match=says):
        bring_bytes(study, content)

    assert_nothing_stored()


BAD_MAPS: list[tuple[Any, str]] = [
    ([], "JSON object"),
    ({"colour": "x"}, "“colour”, which is unknown"),
    ({"questions": {"beauty": "x"}}, "no question “beauty”"),
    ({"questions": "x"}, "a column for each question"),
    ({"item": 3}, "“item” of the map has to be a column"),
    ({"item": ""}, "“item” of the map cannot be empty"),
    ({"rating": ""}, "“rating” of the map cannot be empty"),
    ({"rater": ""}, "“rater” of the map cannot be empty"),
    ({"submitted": ""}, "“submitted” of the map cannot be empty"),
    ({"gold": {"question": "inferable", "column": "", "values": {}}}, "question, a column and"),
    ({"gold": {"question": "inferable"}}, "needs a question, a column and values"),
    ({"gold": {"question": "inferable", "column": "x", "values": {"a": "b"}}}, "are numbers"),
    ({"gold": {"question": "inferable", "column": "x", "values": {"a": True}}}, "are numbers"),
    ({"ignore": "ex_"}, "list of beginnings"),
]


@pytest.mark.parametrize(("map", "says"), BAD_MAPS, ids=[says for _map, says in BAD_MAPS])
def test_a_map_that_cannot_be_followed_is_refused(study: Study, map: Any, says: str) -> None:
    with pytest.raises(errors.BadMap, match=says):
        bring_bytes(study, GOOD, map=map)


def test_a_question_that_is_not_asked_cannot_be_reversed(study: Study) -> None:
    with pytest.raises(errors.UnknownReversal, match="Known: inferable, sb_entail_a"):
        bring_bytes(study, GOOD, reverse=["sb_sim_sa"])

    assert_nothing_stored()


def test_a_file_is_imported_once(study: Study) -> None:
    bring_bytes(study, GOOD)

    with pytest.raises(AlreadyImported, match="as results.csv, with the system people"):
        bring_bytes(study, GOOD, system="another")
    with pytest.raises(errors.RatingTwice, match="3HITW came with results.csv already"):
        bring_bytes(study, GOOD + b"\n")

    assert Rating.objects.count() == 1
    assert bring_bytes(make_study(), GOOD).ratings == 1


def assert_nothing_stored() -> None:
    models = (ResultFile, Item, Rating, Participant, Worker)
    assert not any(model.objects.exists() for model in models)


# --- By command ---------------------------------------------------------------------------------
def test_the_command_says_what_it_read(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_bytes(result_file(four_items()))
    out = io.StringIO()

    given = ["evenings", str(file), "--instrument", "state-inference", "--system", "people"]
    call_command("import_mturk_results", *given, stdout=out, stderr=io.StringIO())

    assert "Imported for people: 12 ratings of 4 items by 3 raters." in out.getvalue()
    assert "inferable: Answer.sb_entail_a.0 … Answer.sb_entail_a.4" in out.getvalue()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--instrument", "beauty"], "no instrument “beauty”. Known: pairwise"),
        (["--system", " "], "--system is a name"),
        (["--reverse", "beauty"], "cannot be reversed.* Nothing was imported"),
        (["--map", "none.json"], "none.json cannot be read"),
    ],
)
def test_the_command_refuses_in_a_sentence(
    study: Study, tmp_path: Path, more: list[str], says: str
) -> None:
    file = tmp_path / "results.csv"
    file.write_bytes(GOOD)

    with pytest.raises(CommandError, match=says):
        bring("evenings", file, "state-inference", "people", *more)

    assert_nothing_stored()


def test_the_command_reads_a_map(study: Study, tmp_path: Path) -> None:
    file, map, no_map = (tmp_path / name for name in ("results.csv", "map.json", "bad.json"))
    file.write_bytes(GOOD.replace(b"sb_entail_a", b"likely"))
    map.write_text(json.dumps({"questions": {"inferable": "likely"}}))
    no_map.write_text("inferable: likely")

    with pytest.raises(CommandError, match="is no JSON"):
        bring("evenings", file, "state-inference", "people", "--map", str(no_map))
    no_map.write_text('{"rater": ""}')
    with pytest.raises(CommandError, match="“rater” of the map cannot be empty"):
        bring("evenings", file, "state-inference", "people", "--map", str(no_map))
    assert bring("evenings", file, "state-inference", "people", "--map", str(map))["ratings"] == 1
