"""What the command prints, and what it refuses."""

import csv
import io
import json
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from evaluation.instruments import pasta, timetravel
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Kind, Level, Question
from evaluation.models import Item, Rating
from evaluation.reports.reading import rated_systems
from evaluation.reports.writing import latex
from evaluation.services.instruments import make_instrument, make_version
from studies.models import ResponseState, Study
from tests.evaluation.rated import each, make_item, together
from tests.studies.factories import make_round, make_study
from tests.studies_admin.responses import make_response

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


@pytest.fixture
def revisions(study: Study) -> Study:
    for system, likely in (("t5_base", (3, 4, 0)), ("GPT & co", (0, 0, 4))):
        answers = together(inferable=likely, logical=(1, 1, 0), degree=(0, 1, 2))
        make_item(study, "story-revision", *answers, system=system)
    return study


def report(name: str, *more: str) -> str:
    out = io.StringIO()
    call_command("report", name, "--study", "evenings", *more, stdout=out)
    return out.getvalue()


def test_a_table_to_read(revisions: Study) -> None:
    assert report("story_revision").splitlines() == [
        "system    Inferable   Logical      Both  Minimal revision  n",
        "--------  ---------  --------  --------  ----------------  -",
        "GPT & co     0.0000  100.0000    0.0000           66.6667  1",
        "t5_base    100.0000  100.0000  100.0000           66.6667  1",
    ]


def test_a_table_for_a_paper(revisions: Study) -> None:
    assert report("story_revision", "--format", "latex").splitlines() == [
        r"\begin{tabular}{lrrrrr}",
        r"\hline",
        r"system & Inferable & Logical & Both & Minimal revision & n \\",
        r"\hline",
        r"GPT \& co & 0.00 & 100.00 & 0.00 & 66.67 & 1 \\",
        r"t5\_base & 100.00 & 100.00 & 100.00 & 66.67 & 1 \\",
        r"\hline",
        r"\end{tabular}",
    ]


def test_a_name_is_no_command_to_latex(study: Study) -> None:
    for system in ("*ours", "[T5]", "a<b>c|d"):
        make_item(study, "timetravel-likert", *each("plot", 1), system=system)

    rows = report("likert", "--format", "latex").splitlines()[4:7]

    # Behind the \\ of a row, a star and a bracket are its own.
    assert rows == [
        r"{}*ours & 1.00 & 1 \\",
        r"{}[T5] & 1.00 & 1 \\",
        r"a\textless{}b\textgreater{}c\textbar{}d & 1.00 & 1 \\",
    ]


def test_what_rounds_to_nothing_has_no_sign(study: Study) -> None:
    # Shares of 3/5 and 4/5, then of 1/5 and 0: no more than a rounding error together.
    for group, own, other in (("one", 3, 4), ("two", 1, 0)):
        answers = together(
            attribute=(1,) * 5,
            inferable_s=(4,) * own + (0,) * (5 - own),
            inferable_s_prime=(4,) * other + (0,) * (5 - other),
            in_story=(0,) * 5,
        )
        make_item(study, "state-change", *answers, group=group, part="state")

    assert report("state_change", "--format", "latex").splitlines()[4] == (
        r"A & 100.00 & 0.00 & 100.00 & 0.00 & 2 \\"
    )


def test_a_number_below_0_has_a_minus_and_a_name_its_hyphen(study: Study) -> None:
    answers = together(attribute=(1,), inferable_s=(0,), inferable_s_prime=(4,), in_story=(0,))
    make_item(study, "state-change", *answers, part="state", system="gpt-4")

    assert report("state_change", "--format", "latex").splitlines()[4] == (
        r"gpt-4 & 100.00 & $-$100.00 & 100.00 & $-$100.00 & 1 \\"
    )
    assert "-100.0" in report("state_change", "--format", "csv")
    assert latex("-0.05 [-0.10, 0.00] ± 0.01") == r"$-$0.05 [$-$0.10, 0.00] $\pm$ 0.01"


def test_numbers_one_a_line(revisions: Study) -> None:
    rows = list(csv.DictReader(io.StringIO(report("story_revision", "--format", "csv"))))

    assert rows[0] == {"system": "GPT & co", "metric": "inferable", "value": "0.0", "n": "1"}
    assert len(rows) == 8


def test_agreement_in_every_format(revisions: Study) -> None:
    rows = json.loads(report("agreement", "--format", "json"))

    assert [row["question"] for row in rows] == ["inferable", "logical", "degree", "mean"]
    assert rows[0].keys() == {"question", "coefficient", "weights", "value", "se", "n_items"}
    assert report("agreement").splitlines()[0].split() == [
        *("question", "weights", "value", "se", "n")
    ]
    assert "inferable & quadratic &" in report("agreement", "--format", "latex")


def test_items_with_one_rating_are_told_of(revisions: Study) -> None:
    assert "single rating" not in report("agreement")
    make_item(revisions, "story-revision", *together(inferable=(3,), logical=(1,), degree=(0,)))

    assert "1 item has a single rating" in report("agreement")
    # Where each has one, there is no standard error to be too large.
    Rating.objects.exclude(rater__worker__marketplace_id="R0").delete()
    assert "single rating" not in report("agreement")


def test_pairs_name_both_systems(study: Study) -> None:
    make_item(study, "pairwise", *each("plot", "first", "second", "first"), rival="B")

    rows = json.loads(report("pairwise", "--format", "json"))

    assert rows[0] == {
        **{"system": "A", "rival": "B", "question": "plot"},
        **{"metric": "wins", "value": 2, "n": 3},
    }
    # One item alone: log odds of 2 to 1 between them, and no interval.
    strengths = {
        row["system"]: round(row["value"], 4) for row in rows if row["metric"] == "strength"
    }
    assert strengths == {"A": 0.3466, "B": -0.3466}
    table, ranks = report("pairwise").split("\n\n")
    assert table.split()[:3] == ["system", "rival", "question"]
    assert table.splitlines()[-1].split() == ["A", "B", "plot", "2", "1", "0", "0", "3"]
    assert ranks.split()[:3] == ["question", "system", "strength"]


def test_points_that_a_pair_got_are_of_both_its_systems(study: Study) -> None:
    best = Question("best", "Which is best?", Kind.PAIRWISE, timetravel.WHICH)
    sure = Question(
        "sure", "How sure are you?", Kind.LIKERT, timetravel.THREE_POINTS, Level.ORDINAL
    )
    asks = Declaration(slug="sure", title="Sure", about="", questions=(best, sure))
    make_instrument(declared=asks)
    for rival, point in (("B", 1), ("C", 3)):
        make_item(study, "sure", *together(best=("first",), sure=(point,)), rival=rival)

    rows = json.loads(report("likert", "--format", "json"))

    assert [(row["system"], row["rival"], row["value"]) for row in rows] == [
        ("A", "B", 1),
        ("A", "C", 3),
    ]
    assert report("likert").splitlines()[0].split() == ["system", "rival", "Sure", "n"]


def test_a_system_is_chosen_on_either_side_of_a_pair(study: Study) -> None:
    for system, rival in (("A", "B"), ("A", "C"), ("B", "C")):
        make_item(study, "pairwise", *each("plot", "first", "second"), system=system, rival=rival)

    def pairs(*given: str) -> set[tuple[str, str]]:
        rows = json.loads(report("pairwise", "--format", "json", *given))
        return {(row["system"], row["rival"]) for row in rows if row["metric"] == "wins"}

    assert pairs("--system", "C") == {("A", "C"), ("B", "C")}
    assert pairs("--system", "B") == {("A", "B"), ("B", "C")}
    assert rated_systems(study) == [("A", 2), ("B", 2), ("C", 2)]
    with pytest.raises(CommandError, match="no system “D”.* Known: A, B, C"):
        report("pairwise", "--system", "D")


def test_a_pair_is_one_whichever_of_its_systems_comes_first(study: Study) -> None:
    """Z wins four of six against B, and two are ties; two items name Z first, two B."""
    codes = {("Z", "B"): ["first", "equally_good"], ("B", "Z"): ["second", "equally_good"]}
    for (system, rival), given in codes.items():
        more = {"system": system, "rival": rival}
        make_item(study, "pairwise", *each("plot", given[0]), **more)
        make_item(study, "pairwise", *each("plot", given[0], given[1]), **more)
    make_item(study, "pairwise", *each("plot", "first"), system="B", rival="C")

    rows = json.loads(report("pairwise", "--format", "json"))

    counted = [list(row.values()) for row in rows if row["metric"] != "strength"]
    assert [row[:2] for row in counted] == [["B", "C"]] * 4 + [["Z", "B"]] * 4
    assert [row[4] for row in counted] == [1, 0, 0, 0, 4, 0, 2, 0]
    agreement = report("agreement", "--format", "json", "--system", "Z")
    Item.objects.filter(system="B", rival="Z").update(system="Z", rival="B")
    Rating.objects.filter(answers={"plot": "second"}).update(answers={"plot": "first"})
    assert report("agreement", "--format", "json", "--system", "Z") == agreement


def test_the_first_ratings_are_of_each_pair(study: Study) -> None:
    for system, rival in (("A", "B"), ("A", "C"), ("C", "A"), ("B", "C")):
        answers = each("plot", "first", "second")
        make_item(study, "pairwise", *answers, system=system, rival=rival)

    rows = json.loads(report("pairwise", "--format", "json", "--first-submitted", "1"))

    won = {(row["system"], row["rival"]): row["n"] for row in rows if row["metric"] == "wins"}
    assert won == {("A", "B"): 1, ("A", "C"): 1, ("B", "C"): 1}


def test_strengths_have_their_interval_in_every_format(study: Study) -> None:
    for group in ("one", "two", "three"):
        answers = each("plot", "first", "second", "first")
        make_item(study, "pairwise", *answers, rival="B", group=group)
    make_item(study, "pairwise", *each("plot", "second"), rival="B", group="four")

    rows = json.loads(report("pairwise", "--format", "json"))

    (strength,) = (one for one in rows if one["metric"] == "strength" and one["system"] == "A")
    shown = [f"{strength[name]:.4f}" for name in ("value", "se", "ci_low", "ci_high")]
    assert ["plot", "A", *shown, "10"] in [line.split() for line in report("pairwise").splitlines()]


def test_strengths_that_are_without_bound_say_so(study: Study) -> None:
    make_item(study, "pairwise", *each("plot", "first", "first"), rival="B")

    rows = json.loads(report("pairwise", "--format", "json"))

    lines = [row for row in rows if row["metric"] == "strength"]
    assert [row["value"] for row in lines] == [None, None]
    assert all("not connected by wins" in row["undefined"] for row in lines)
    assert "not connected" in report("pairwise")


def test_scales_have_their_own_range(study: Study) -> None:
    make_item(study, "timetravel-likert", *each("plot", 1, 3, 3))

    (row,) = json.loads(report("likert", "--format", "json"))

    assert (row["metric"], round(row["value"], 4), row["n"]) == ("plot", 2.3333, 1)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["state_change"], "no ratings for “state_change”"),
        (["likert", "--instrument", "x"], "no ratings with “x” for.* some with story-revision"),
        (["story_revision", "--system", "none"], "no system “none”.* Known: GPT & co, t5_base"),
        (["story_revision", "--expected-items", "0"], "1 or more"),
        (["agreement", "--expected-items", "5"], "what an absent item scores"),
        (["likert", "--expected-items", "5"], "what an absent item scores"),
        (["story_revision", "--release", "v1"], "compares nothing with what people wrote"),
        (["models", "--release", "v1"], "asked for systems alone"),
        (["models", "--first-submitted", "5"], "asked for systems alone"),
    ],
)
def test_what_cannot_be_told_is_said(revisions: Study, given: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        report(*given)


def test_of_several_instruments_one_is_chosen(revisions: Study) -> None:
    make_item(revisions, "state-inference", *each("inferable", 3, 4))

    with pytest.raises(CommandError, match="state-inference, story-revision. Choose one"):
        report("agreement")
    assert "inferable" in report("agreement", "--instrument", "state-inference")
    assert "degree" in report("agreement", "--system", "t5_base")


def test_versions_are_one_where_their_scales_are(study: Study) -> None:
    make_item(study, "state-inference", *each("inferable", 3, 4))
    make_version(declared=replace(pasta.STATE_INFERENCE, about="In other words."))
    make_item(study, "state-inference", *each("inferable", 3, 4))
    assert json.loads(report("agreement", "--format", "json"))[0]["n_items"] == 2

    likely = replace(pasta.STATE_INFERENCE.questions[0], threshold=4)
    make_version(declared=replace(pasta.STATE_INFERENCE, questions=(likely,)))
    make_item(study, "state-inference", *each("inferable", 3, 4))

    with pytest.raises(CommandError, match="state-inference@3, state-inference@2"):
        report("agreement")
    one = json.loads(report("agreement", "--instrument", "state-inference@2", "--format", "json"))
    assert one[0]["n_items"] == 1


def test_responses_that_do_not_stand_count_for_nothing(study: Study) -> None:
    item = make_item(study, "timetravel-likert", *each("plot", 1, 3))
    response = make_response(make_round(study, overlap=1), state=ResponseState.UNCONFIRMED)
    item.ratings.filter(rater__worker__marketplace_id="R0").update(response=response)

    (row,) = json.loads(report("likert", "--format", "json"))

    assert row["value"] == 3
