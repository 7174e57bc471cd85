"""The tables of the paper, from its raw files, by command."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from evaluation.models import Item, Rating, ResultFile
from studies.models import Participant
from tests.environment import SHARED_DATA
from tests.evaluation.published import CHANGE, FILES, REVISION, bring_published, rows_of, values_of
from tests.studies.factories import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.shared_data]
STUDY = "published"
REFERENCES = ("--references", str(SHARED_DATA / "pasta" / "te_data.jsonl"))
THREE = ("--system", "GPT3", "--system", "t5-base", "--system", "t5-large")


@pytest.fixture(scope="module")
def imported(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, dict[str, Any]]]:
    """All ten files, brought in once: each test works in a transaction inside this one."""
    with django_db_blocker.unblock():
        with transaction.atomic():
            make_study(slug=STUDY)
            summaries = bring_published(STUDY)
            connection.check_constraints()
            yield summaries
            transaction.set_rollback(True)
        with connection.cursor() as cursor:
            # Other tests would read past the rows that are gone.
            cursor.execute("VACUUM ANALYZE evaluation_item, evaluation_rating")


@pytest.fixture(autouse=True)
def files(imported: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return imported


def test_every_row_of_the_ten_files_is_a_rating(files: dict[str, dict[str, Any]]) -> None:
    assert [files[name]["ratings"] for name, *_rest in FILES] == [
        *(2400, 2400, 600, 600, 525, 504, 1200, 1200, 1200, 1178)
    ]
    assert [files[name]["items"] for name, *_rest in FILES] == [
        *(800, 800, 200, 200, 175, 169, 400, 400, 400, 400)
    ]
    assert Rating.objects.count() == 11_807
    assert Item.objects.filter(gold={"inferable": 1}).count() == 800
    assert ResultFile.objects.filter(left_out=0).count() == 10


def test_raters_have_pseudonyms_that_hold_over_the_files() -> None:
    raters = Participant.objects.filter(study__slug=STUDY)

    assert raters.count() == len(
        {one.worker.marketplace_id for one in raters.select_related("worker")}
    )
    assert all(one.pseudonym.startswith("w-") for one in raters)
    assert max(one.ratings.values("item__result_file").distinct().count() for one in raters) > 3


@pytest.mark.parametrize("rule", ["published", "text"])
@pytest.mark.parametrize(
    ("system", "accuracy", "contrastive"),
    [("marked", 96.8750, 94.2500), ("unmarked", 93.5000, 88.7500)],
)
def test_state_inference(system: str, accuracy: float, contrastive: float, rule: str) -> None:
    rows = rows_of("state_inference", STUDY, "--system", system, "--rule", rule)

    assert rows == [
        {"system": system, "metric": "accuracy", "value": accuracy, "n": 800},
        {"system": system, "metric": "contrastive", "value": contrastive, "n": 400},
    ]


@pytest.mark.parametrize(
    ("system", "more", "values", "n"),
    [
        ("t5-base", [], (41.0000, 77.0000, 34.0000, 91.3889), 200),
        ("t5-large", [], (58.5000, 84.0000, 54.0000, 89.1667), 200),
        ("GPT3", [], (57.1429, 98.2857, 55.4286, 84.3810), 175),
        ("GPT3", ["--expected-items", "200"], (50.0000, 86.0000, 48.5000, 86.3333), 200),
    ],
)
def test_story_revision(system: str, more: list[str], values: tuple[float, ...], n: int) -> None:
    names = ("inferable", "logical", "all", "minimal")

    found = values_of("story_revision", STUDY, "--system", system, *more)

    assert found == dict(zip(names, values, strict=True))
    assert {row["n"] for row in rows_of("story_revision", STUDY, "--system", system, *more)} == {n}


@pytest.mark.parametrize(
    ("system", "more", "values"),
    [
        ("t5-base", [], (96.7500, 41.0000, 90.2500, 35.1667)),
        ("t5-large", [], (99.2500, 58.7500, 97.0000, 55.5000)),
        ("GPT3", [], (88.0000, 67.5000, 82.0000, 48.5000)),
        ("GPT3", ["--first-submitted", "1176"], (86.5000, 67.4583, 81.5000, 47.7083)),
    ],
)
def test_state_change_as_published(system: str, more: list[str], values: tuple[float, ...]) -> None:
    names = ("attribute", "inferable", "not_in_story", "all")

    found = values_of("state_change", STUDY, "--system", system, *more)

    assert found == dict(zip(names, values, strict=True))


@pytest.mark.parametrize(
    ("system", "inferable", "whole"),
    [("t5-base", 51.2500, 43.5000), ("t5-large", 66.7500, 63.5000), ("GPT3", 78.2500, 58.0000)],
)
def test_state_change_as_the_text_has_it(system: str, inferable: float, whole: float) -> None:
    found = values_of("state_change", STUDY, "--system", system, "--rule", "text")

    assert (found["inferable"], found["all"]) == (inferable, whole)


@pytest.mark.parametrize(
    ("instrument", "systems", "n", "published"),
    [
        (
            "state-inference",
            ["marked"],
            800,
            {"inferable": (0.8066, 0.0143), "mean": (0.8066, 0.0143)},
        ),
        (
            "story-revision",
            ["GPT3", "t5-base", "t5-large"],
            575,
            {
                "inferable": (0.5288, 0.0273),
                "logical": (0.7142, 0.0223),
                "degree": (0.8953, 0.0076),
                "mean": (0.7128, 0.0191),
            },
        ),
        (
            "state-change",
            ["GPT3", "t5-base", "t5-large"],
            1200,
            {
                "attribute": (0.8181, 0.0115),
                "in_story": (0.8355, 0.0095),
                "inferable_s": (0.7030, 0.0141),
                "inferable_s_prime": (0.6404, 0.0154),
                "mean": (0.7492, 0.0126),
            },
        ),
    ],
)
def test_agreement(
    instrument: str, systems: list[str], n: int, published: dict[str, tuple[float, float]]
) -> None:
    chosen = [word for system in systems for word in ("--system", system)]

    rows = rows_of("agreement", STUDY, "--instrument", instrument, *chosen)

    found = {row["question"]: (round(row["value"], 4), round(row["se"], 4)) for row in rows}
    assert found == published
    assert rows[-1]["question"] == "mean"
    assert {row["n_items"] for row in rows} == {n}
    weights = {row["question"]: row["weights"] for row in rows}
    assert all(weights[q] == "quadratic" for q in weights if q.startswith(("inferable", "degree")))
    assert all(weights[q] == "identity" for q in weights if q in {"logical", "attribute"})


def test_a_table_of_all_systems_of_the_study() -> None:
    rows = rows_of("state_change", STUDY)

    assert [row["system"] for row in rows[::4]] == ["GPT3", "gpt35", "t5-base", "t5-large"]
    assert {row["n"] for row in rows} == {200}


def metrics(*more: str) -> dict[str, dict[str, Any]]:
    """By system and metric, as printed in the paper."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows_of("automatic", STUDY, *REFERENCES, *more):
        found.setdefault(row["system"], {})[row["metric"]] = row
    return found


def printed(row: dict[str, Any]) -> str:
    return f"{row['value']:.2f}"


def test_automatic_metrics_of_state_change() -> None:
    found = metrics("--instrument", CHANGE, *THREE)

    assert {name: (printed(by["gleu"]), printed(by["rougeL"])) for name, by in found.items()} == {
        "GPT3": ("11.64", "28.89"),
        "t5-base": ("11.66", "29.50"),
        "t5-large": ("13.37", "32.37"),
    }
    assert {row["n"] for by in found.values() for row in by.values()} == {400}


def test_automatic_metrics_where_an_absent_output_is_the_story_as_it_was() -> None:
    found = metrics("--instrument", REVISION, *THREE, "--expected-items", "200")

    assert {name: (printed(by["gleu"]), printed(by["rougeL"])) for name, by in found.items()} == {
        "GPT3": ("69.67", "79.66"),
        "t5-base": ("73.21", "81.77"),
        "t5-large": ("73.55", "81.69"),
    }
    assert {row["n"] for by in found.values() for row in by.values()} == {200}


def test_every_mean_has_an_interval_round_it() -> None:
    found = metrics("--instrument", REVISION, "--system", "GPT3")["GPT3"]

    assert found["gleu"]["n"] == 175
    assert found["gleu"]["ci_low"] < found["gleu"]["value"] < found["gleu"]["ci_high"]


@pytest.mark.parametrize(
    ("instrument", "n", "gleu", "rouge"),
    [
        (REVISION, 575, ("0.1383", "8.8e-04"), ("0.1301", "1.8e-03")),
        (CHANGE, 1200, ("0.2125", "1.0e-13"), ("0.2275", "1.5e-15")),
    ],
)
def test_correlation_with_validity(
    instrument: str, n: int, gleu: tuple[str, str], rouge: tuple[str, str]
) -> None:
    rows = rows_of("correlation", STUDY, "--instrument", instrument, *THREE, *REFERENCES)

    found = {
        row["metric"]: (f"{row['value']:.4f}", f"{row['p_value']:.1e}")
        for row in rows
        if row["coefficient"] == "pearson"
    }
    assert (found["gleu"], found["rougeL"]) == (gleu, rouge)
    assert {row["n"] for row in rows} == {n}
    assert {row["against"] for row in rows} == {"all"}


def test_every_number_in_every_format() -> None:
    given = ("correlation", "--study", STUDY, "--instrument", REVISION, *THREE, *REFERENCES)
    text, latex, table = (report(*given, "--format", name) for name in ("text", "latex", "csv"))

    assert text.splitlines()[2].split() == [
        *("GLEU", "pearson", "0.1383", "0.00088", "0.0572", "0.2176", "575")
    ]
    assert r"GLEU & pearson & 0.1383 & 0.00088 & 0.0572 & 0.2176 & 575 \\" in latex
    assert table.splitlines()[0] == "metric,against,coefficient,value,p_value,ci_low,ci_high,n"


def test_more_items_than_anybody_knows_of_cannot_be_expected() -> None:
    with pytest.raises(CommandError, match="201 items of GPT3 are expected; .* there are 200"):
        metrics("--instrument", REVISION, "--system", "GPT3", "--expected-items", "201")


def test_without_what_people_wrote_there_is_nothing_to_compare_with() -> None:
    with pytest.raises(CommandError, match="--references"):
        report("automatic", "--study", STUDY, "--instrument", REVISION)
    other = str(SHARED_DATA / "pasta" / "val_data.jsonl")
    with pytest.raises(CommandError, match="is not in the release or file"):
        report("automatic", "--study", STUDY, "--instrument", REVISION, "--references", other)


def report(*given: str) -> str:
    out = io.StringIO()
    call_command("report", *given, stdout=out)
    return out.getvalue()
