import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from studies.models import Response, Study
from tests.studies.factories import make_study
from tests.studies.published import lines, published_row

CONTENT = "story_id,title,line1,line2\n1,T,A.,B.\n2,T,Ann ran,\n"


def run(*arguments: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "stories.csv"
    path.write_text(CONTENT)
    return path


@pytest.mark.django_db
def test_a_study_is_made_with_a_title_of_its_own_or_from_its_slug() -> None:
    run("create_study", "state-annotation")
    run("create_study", "walks", title="On walks")

    assert dict(Study.objects.values_list("slug", "title")) == {
        "state-annotation": "State annotation",
        "walks": "On walks",
    }


@pytest.mark.django_db
def test_a_slug_that_is_taken_or_malformed_is_refused() -> None:
    run("create_study", "walks")

    with pytest.raises(CommandError, match="There is a study “walks” already"):
        run("create_study", "walks")
    with pytest.raises(CommandError, match="slug"):
        run("create_study", "two words")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "arguments",
    [
        ["import_stories", "nope", "x.csv"],
        ["import_responses", "nope", "x.jsonl"],
        ["export_responses", "nope", "--format", "jsonl", "--output", "x"],
    ],
)
def test_an_unknown_study_is_told_with_those_there_are(arguments: list[str]) -> None:
    make_study(slug="walks")

    with pytest.raises(CommandError, match=r"There is no study “nope”\. Known: walks\."):
        run(*arguments)


@pytest.mark.django_db
def test_an_import_says_what_it_did_in_words(stories: Path) -> None:
    make_study(slug="walks")

    said = run("import_stories", "walks", str(stories)).splitlines()

    assert said[0] == "stories.csv: 2 stories added."
    assert said[-2:] == [
        "1 warning:",
        "  Row 3, story 2: 1 sentence where 2 are usual.",
    ]
    assert run("import_stories", "walks", str(stories)).startswith("stories.csv: nothing changed.")


@pytest.mark.django_db
def test_an_import_of_a_single_story_is_told_in_the_singular(tmp_path: Path) -> None:
    make_study(slug="walks")
    path = tmp_path / "one.csv"
    head, row, _rest = CONTENT.split("\n", 2)
    path.write_text(f"{head}\n{row}\n{row}\n")

    foreseen = run("import_stories", "walks", str(path), "--dry-run").splitlines()
    said = run("import_stories", "walks", str(path)).splitlines()
    again = run("import_stories", "walks", str(path)).splitlines()

    repeated = "1 row repeats a story and was counted once."
    assert foreseen[0] == "one.csv would add 1 story; nothing was stored."
    assert said[:2] == ["one.csv: 1 story added.", repeated]
    assert again[1:3] == ["1 story is there already, with the same text.", repeated]


@pytest.mark.django_db
def test_a_bad_file_is_told_as_json_too_and_fails(tmp_path: Path) -> None:
    study = make_study(slug="walks")
    bad = tmp_path / "bad.csv"
    bad.write_text(CONTENT + "3,T,,B.\n")
    out = io.StringIO()

    with pytest.raises(CommandError, match="Nothing was imported: 1 problem"):
        call_command("import_stories", "walks", str(bad), "--output-format", "json", stdout=out)

    report = json.loads(out.getvalue())
    assert report["ok"] is False
    assert report["problems"] == ["bad.csv: Row 4, column line1: This sentence is empty."]
    assert not study.stories.exists()


@pytest.mark.django_db
def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    make_study(slug="walks")

    for command in ("import_stories", "import_responses"):
        with pytest.raises(CommandError, match="cannot be read: No such file"):
            run(command, "walks", str(tmp_path / "none"))
        with pytest.raises(CommandError, match="cannot be read: Is a directory"):
            run(command, "walks", str(tmp_path))


@pytest.mark.django_db
def test_responses_come_in_and_go_out(tmp_path: Path) -> None:
    make_study(slug="walks")
    past = tmp_path / "past.jsonl"
    past.write_bytes(lines(published_row("A1"), published_row("A2")))
    out = tmp_path / "out.jsonl"

    said = run("import_responses", "walks", str(past))
    run("export_responses", "walks", "--format", "pasta-jsonl", "--output", str(out))

    assert "2 responses added as round 1." in said
    assert [json.loads(line) for line in out.open()] == [published_row("A1"), published_row("A2")]
    with pytest.raises(CommandError, match="exists already"):
        run("export_responses", "walks", "--format", "pasta-jsonl", "--output", str(out))
    with pytest.raises(CommandError, match="has no round 7"):
        run("export_responses", "walks", "--format", "csv", "--output", "x", "--round", "7")


@pytest.mark.django_db
def test_an_import_of_a_single_response_is_told_in_the_singular(tmp_path: Path) -> None:
    make_study(slug="walks")
    past = tmp_path / "past.jsonl"
    past.write_bytes(lines(published_row("A1")))

    said = run("import_responses", "walks", str(past)).splitlines()
    again = run("import_responses", "walks", str(past)).splitlines()

    assert said[:2] == [
        "past.jsonl: 1 response added as round 1.",
        "1 story came in, too.",
    ]
    assert again[1] == "1 is there already, with the same content."


@pytest.mark.django_db
def test_a_bad_file_of_responses_fails_and_stores_nothing(tmp_path: Path) -> None:
    make_study(slug="walks")
    past = tmp_path / "past.jsonl"
    past.write_bytes(lines(published_row("A1"), published_row("A1")))

    with pytest.raises(CommandError, match="Nothing was imported: 1 problem"):
        run("import_responses", "walks", str(past))

    assert not Response.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_real_process_prints_json_alone_and_tells_success_by_its_exit(stories: Path) -> None:
    make_study(slug="walks")
    database = settings.DATABASES["default"]
    url = "postgresql://{USER}:{PASSWORD}@/{NAME}?host={HOST}&port={PORT}".format(**database)
    environment = os.environ | {"DATABASE_URL": url}

    def manage(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "manage.py", "import_stories", "walks", *arguments]
        return subprocess.run(
            [*command, "--output-format", "json"],
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
        )

    good = manage(str(stories))
    bad = manage(str(stories), "--format", "roc-csv")

    assert good.returncode == 0, good.stderr
    assert json.loads(good.stdout)["added"] == 2
    # A bar is for who looks on, not for a log.
    assert good.stderr == ""
    assert bad.returncode == 1
    assert json.loads(bad.stdout)["ok"] is False
    assert "Nothing was imported: 7 problems." in bad.stderr
