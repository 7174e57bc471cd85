import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from stats.agreement import conger_kappa, gwet_ac, krippendorff_alpha

FILE = """\
item,who,question,score
1,ann,plot,1
1,ben,plot,2
2,ann,plot,2
2,ben,plot,2
3,ann,plot,5
3,ben,plot,4.0
"4, last",ann,plot,
"4, last",ben,plot,3
1,ann,ending,1
1,ben,ending,1
"""
PLOT: list[list[int | None]] = [[1, 2], [2, 2], [5, 4], [None, 3]]
SCALE = "1,2,3,4,5"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_text(FILE, encoding="utf-8-sig")
    return path


def run(file: Path, *arguments: str, scale: str = SCALE) -> str:
    out = io.StringIO()
    columns = "--item", "item", "--rater", "who", "--value", "score", f"--scale={scale}"
    call_command("agreement", str(file), *columns, *arguments, stdout=out)
    return out.getvalue()


def report(file: Path, *arguments: str) -> Any:
    return json.loads(run(file, *arguments, "--format", "json"))


def test_it_prints_every_coefficient_for_each_group(file: Path) -> None:
    said = report(file, "--weights", "quadratic", "--by", "question")

    plot, ending = said["groups"]
    assert (plot["group"], ending["group"]) == ("plot", "ending")
    assert {key: plot[key] for key in list(plot)[1:6]} == {
        "n_items": 4,
        "n_raters": 2,
        "n_ratings": 7,
        "n_single_rated": 1,
        "missing": 0.125,
    }
    found = {one["coefficient"]: one for one in plot["coefficients"]}
    assert list(found) == [
        "percent_agreement",
        "gwet_ac",
        "fleiss_kappa",
        "conger_kappa",
        "brennan_prediger",
        "krippendorff_alpha",
    ]
    expected = gwet_ac(PLOT, categories=(1, 2, 3, 4, 5), weights="quadratic")
    assert found["gwet_ac"]["value"] == expected.value
    assert found["gwet_ac"]["p_value"] == expected.p_value
    assert "single rating" in found["gwet_ac"]["note"]
    assert ending["coefficients"][2]["value"] is None
    assert "by chance is certain" in ending["coefficients"][2]["undefined_reason"]


def test_text_says_the_same_in_lines(file: Path) -> None:
    text = run(file, "--weights", "quadratic", "--by", "question", "--level", "ordinal")

    expected = conger_kappa(PLOT, categories=(1, 2, 3, 4, 5), weights="quadratic")
    line = next(line for line in text.splitlines() if line.startswith("conger_kappa, quadratic"))
    assert f"{expected.value:.4f}" in line and f"{expected.se:.4f}" in line
    assert "question plot: items: 4, raters: 2, ratings: 7; missing: 12%" in text
    assert "krippendorff_alpha, ordinal metric" in text
    assert "1,000 resamples, seed 0" in text


@pytest.mark.parametrize(
    ("confidence", "said"),
    [("0.9", "90%"), ("0.95", "95%"), ("0.975", "97.5%"), ("0.999", "99.9%")],
)
def test_an_interval_says_how_sure_it_is(file: Path, confidence: str, said: str) -> None:
    text = run(file, "--by", "question", "--confidence", confidence)

    assert f"  {said} interval  " in text


def test_intervals_may_be_of_resamples(file: Path) -> None:
    one = "--coefficient", "gwet_ac", "--bootstrap", "50", "--seed", "3", "--by", "question"

    found = report(file, *one)["groups"][0]["coefficients"]

    assert len(found) == 1
    assert "50 resamples, seed 3" in found[0]["note"]
    assert report(file, *one) == report(file, *one)


def test_a_note_about_one_coefficient_names_it(tmp_path: Path) -> None:
    file = tmp_path / "few.csv"
    file.write_text("item,who,score\na,x,1\na,y,2\nb,x,3\nb,y,3\nc,x,2\n")

    lines = run(file, "--bootstrap", "50", scale="1,2,3").splitlines()

    notes = [line.strip() for line in lines if "resamples, seed 0" in line]
    assert any(note.startswith("krippendorff_alpha, identity: percentile") for note in notes)
    assert len(notes) == len(set(notes)) > 1


def test_a_level_of_measurement_adds_krippendorffs_metric(file: Path) -> None:
    found = report(file, "--level", "ordinal", "--by", "question")["groups"][0]["coefficients"][-1]

    expected = krippendorff_alpha(PLOT, categories=(1, 2, 3, 4, 5), level="ordinal")
    assert (found["weights"], found["level"]) == (None, "ordinal")
    assert (found["value"], found["ci_low"]) == (expected.value, expected.ci_low)


def test_a_scale_may_be_of_words(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text("item,who,score\n1,a,poor\n1,b,fair\n2,a,good\n2,b,good\n")

    text = run(file, "--weights", "ordinal", "--coefficient", "gwet_ac", scale="poor, fair, good")

    assert "gwet_ac, ordinal" in text


def test_space_round_the_names_of_columns_makes_no_others(file: Path) -> None:
    whole = report(file, "--by", "question")
    file.write_text(file.read_text().replace("item,who,", "item , who,", 1))

    assert report(file, "--by", "question") == whole


def test_empty_cells_behind_the_last_column_are_nothing(file: Path) -> None:
    whole = report(file, "--by", "question")
    file.write_text(file.read_text().replace("1,ann,plot,1", "1,ann,plot,1,,", 1))

    assert report(file, "--by", "question") == whole


def test_space_round_a_name_makes_no_other_item(file: Path) -> None:
    whole = report(file, "--by", "question")
    file.write_text(file.read_text().replace("1,ann,plot", "1 , ann,plot\t", 1))

    assert report(file, "--by", "question") == whole


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (FILE + "5,ann,plot,6\n", "Line 12: “6” is not on the scale 1, 2, 3, 4, 5"),
        (FILE + "5,ann,plot,high\n", "Line 12: “high” is not on the scale"),
        (FILE + "1,ann,plot,2\n", "Rater ann rated item 1 twice"),
        (FILE + "5,,plot,2\n", "Line 12: nothing in column “who”"),
        (FILE + "5,ann\n", "Line 12: nothing in column “score”"),
        ("item,rater,score\n1,a,1\n", "no column “who”. Its columns: item, rater, score"),
        ("item,who,score,who\n1,a,1,b\n", "several columns “who”"),
        ("item,who,score\n1,a,\n", "no rating in this file"),
        ("", "bad.csv has no header"),
        ("item;who;score\n1;a;2\n", "a single column, “item;who;score”: cells have to stand bet"),
        (FILE + "5,ann,plot,1,5\n", "Line 12 has more cells than the header has columns"),
        (FILE + f"5,ann,plot,{'9' * 5000}\n", f"Line 12: “{'9' * 60}” is not on the scale"),
        ('item,who,score\n1,a,"2\n3,a,4\n', "is no CSV file: what begins on line 2 cannot"),
        ("item,who,score\n1,\xe9,1\n".encode("latin-1"), "is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, content: str | bytes, words: str
) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(CommandError, match=words):
        run(file, *(["--by", "question"] if b"question" in file.read_bytes() else []))


@pytest.mark.parametrize(
    ("scale", "arguments", "words"),
    [
        ("1,,2", [], "A category of the scale is empty"),
        ("1,2,3,4,5,5", [], "names a category twice"),
        ("-1,1,2,3,4,5", ["--weights", "ratio"], "sum is zero"),
        (SCALE, ["--bootstrap", "1"], "at least two resamples"),
        (SCALE, ["--bootstrap", "-1"], "a whole number from 0 up"),
        (SCALE, ["--confidence", "95"], "a number between 0 and 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    file: Path, scale: str, arguments: list[str], words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        run(file, "--by", "question", *arguments, scale=scale)


def test_more_ratings_than_there_is_memory_for_are_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.rating_file.MOST_RATINGS", 8)
    with pytest.raises(CommandError, match="more than 8 ratings in this file"):
        run(file, "--by", "question")

    monkeypatch.undo()
    monkeypatch.setattr("stats.long.MOST_CELLS", 7)
    with pytest.raises(CommandError, match="4 items, and up to 2 raters of each"):
        run(file, "--by", "question")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nowhere.csv cannot be read: No such file"):
        run(tmp_path / "nowhere.csv")
