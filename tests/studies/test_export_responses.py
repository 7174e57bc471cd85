import csv
import io
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from studies.models import Assignment, AssignmentState, Response, ResponseState, Round, Study
from studies.services.response_export import ExportRefused, export_responses
from studies.services.response_import import import_responses
from tests.config.users import eventually
from tests.studies.factories import make_participant, make_round, make_study, withdraw
from tests.studies.published import lines, published_row

FORMATS = ["pasta-jsonl", "jsonl", "csv"]


def bring(study: Study, path: Path) -> Any:
    with path.open("rb") as source:
        return import_responses(study=study, source=source, name=path.name)


def answer(
    round: Round, state: ResponseState = ResponseState.CONFIRMED, **answers: Any
) -> Response:
    """A response of our own: worker, marketplace id and all."""
    task = round.tasks.order_by("position")[0]
    participant = make_participant(round)
    now = timezone.now()
    assignment = Assignment.objects.create(
        task=task,
        participant=participant,
        marketplace_id=f"MARKETPLACE{participant.pk}",
        state=AssignmentState.SUBMITTED,
        accepted_at=now,
        submitted_at=now,
    )
    sentences = task.payload["sentences"]
    given = {
        "assertion": "The visitor is calm.",
        "justification": [2],
        "changed_assertion": "The visitor is angry.",
        "revision": [*sentences[:-1], "Mira shouted at the door."],
    }
    return Response.objects.create(
        assignment=assignment,
        task_type=round.task_type,
        schema_version=1,
        answers=given | answers,
        cautions=[{"field": "assertion", "code": "action", "message": "Is it an action?"}],
        state=state,
        submitted_at=now,
        confirmed_at=now if state == ResponseState.CONFIRMED else None,
    )


def connections_of_others() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.shared_data
@pytest.mark.django_db
@pytest.mark.parametrize("name", ["te_data.jsonl", "val_data.jsonl"])
def test_published_files_come_back_to_the_byte(
    name: str, shared_data: Path, tmp_path: Path
) -> None:
    published = shared_data / "pasta" / name
    first = make_study()
    bring(first, published)

    for fmt in FORMATS:
        export_responses(study=first, fmt=fmt, path=tmp_path / fmt)
        study = make_study()
        outcome = bring(study, tmp_path / fmt)
        export_responses(study=study, fmt="pasta-jsonl", path=tmp_path / f"{fmt}-again")

        assert outcome.problem_lines() == []
        assert (tmp_path / f"{fmt}-again").read_bytes() == published.read_bytes()


@pytest.mark.django_db
@pytest.mark.parametrize("fmt", FORMATS)
def test_only_confirmed_responses_of_real_rounds_are_written(fmt: str, tmp_path: Path) -> None:
    study = make_study()
    real = make_round(study)
    pilot = make_round(study, pilot=True)
    answer(real)
    answer(pilot)
    for state in (
        ResponseState.SUBMITTED,
        ResponseState.UNCONFIRMED,
        ResponseState.UNCONFIRMED,
    ):
        answer(real, state)
    withdraw(answer(real))
    answer(make_round())

    outcome = export_responses(study=study, fmt=fmt, path=tmp_path / "out")

    assert outcome.rows == 1
    assert outcome.left_out == {"pilot": 1, "waiting": 1, "unconfirmed": 2, "withdrawn": 1}


@pytest.mark.django_db
@pytest.mark.parametrize("fmt", FORMATS)
def test_nothing_tells_the_worker_or_the_marketplace(fmt: str, tmp_path: Path) -> None:
    round = make_round()
    response = answer(round)
    participant = response.assignment.participant
    assert participant is not None

    export_responses(study=round.study, fmt=fmt, path=tmp_path / "out")

    text = (tmp_path / "out").read_text()
    assert participant.worker.marketplace_id not in text
    assert response.assignment.marketplace_id not in text
    assert (participant.pseudonym in text) is (fmt != "pasta-jsonl")


@pytest.mark.django_db
def test_the_published_layout_has_its_fields_in_order_and_an_opaque_id(tmp_path: Path) -> None:
    round = make_round()
    answer(round)

    export_responses(study=round.study, fmt="pasta-jsonl", path=tmp_path / "a")
    export_responses(study=round.study, fmt="pasta-jsonl", path=tmp_path / "b")

    (row,) = rows(tmp_path / "a")
    assert list(row) == list(published_row())
    assert [type(value) for value in row.values()] == [type(v) for v in published_row().values()]
    assert len(row["AssignmentId"]) == 30
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.django_db
def test_our_own_layout_tells_everything_about_a_response(tmp_path: Path) -> None:
    round = make_round()
    response = answer(round)

    export_responses(study=round.study, fmt="jsonl", path=tmp_path / "out")

    (row,) = rows(tmp_path / "out")
    assert row["justification"] == [2] and len(row["sentences"]) == 5
    assert (row["task_type"], row["schema_version"], row["round"]) == ("state_annotation", 1, 1)
    assert row["warnings"] == response.cautions
    assert row["submitted_at"] == response.submitted_at.isoformat()


@pytest.mark.django_db
def test_formulas_are_harmless_in_the_table_and_whole_after_import(tmp_path: Path) -> None:
    study = make_study()
    texts = {"Answer.assertion": "=1+1", "Input.Title": "'@x", "Answer.mod_line1": "＝A\r\nB"}
    import_responses(
        study=study, source=io.BytesIO(lines(published_row(**texts))), name="past.jsonl"
    )

    export_responses(study=study, fmt="csv", path=tmp_path / "out.csv")

    with (tmp_path / "out.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["assertion"], row["title"]) == ("'=1+1", "''@x")
    assert row["revised_line1"] == "'＝A\r\nB"
    again = make_study()
    bring(again, tmp_path / "out.csv")
    export_responses(study=again, fmt="pasta-jsonl", path=tmp_path / "again")
    assert rows(tmp_path / "again") == [published_row(**texts)]


@pytest.mark.django_db
def test_a_table_has_room_for_the_longest_story_in_the_order_of_its_sentences(
    tmp_path: Path,
) -> None:
    study = make_study()
    own: list[dict[str, Any]] = []
    for label, count in (("A1", 4), ("A2", 6), ("A3", 5)):
        sentences = [f"Sentence {n} of {label}." for n in range(count)]
        own.append(
            {
                "assignment_id": label,
                "story_id": label,
                "title": "",
                "sentences": sentences,
                "assertion": "A.",
                "justification": [1, count],
                "changed_assertion": "B.",
                "revision": sentences,
            }
        )
    outcome = import_responses(study=study, source=io.BytesIO(lines(*own)), name="own.jsonl")
    assert outcome.problem_lines() == []

    export_responses(study=study, fmt="csv", path=tmp_path / "out.csv")

    with (tmp_path / "out.csv").open(newline="") as file:
        header = next(csv.reader(file))
    assert header[3:9] == [f"line{n}" for n in range(1, 7)]
    assert header.index("revised_line6") == header.index("revised_line5") + 1
    again = make_study()
    assert bring(again, tmp_path / "out.csv").problem_lines() == []
    export_responses(study=again, fmt="jsonl", path=tmp_path / "again")
    assert [{name: row[name] for name in own[0]} for row in rows(tmp_path / "again")] == own


@pytest.mark.django_db
def test_stories_of_another_length_stop_the_published_layout_unless_left_out(
    tmp_path: Path,
) -> None:
    study = make_study()
    past = study.rounds
    import_responses(study=study, source=io.BytesIO(lines(published_row("A1"))), name="past")
    task = past.get().tasks.get()
    item = task.payload | {"sentences": ["One.", "Two."]}
    type(task).objects.filter(pk=task.pk).update(payload=item)
    out = tmp_path / "out"

    with pytest.raises(ExportRefused, match="1 response does not fit pasta-jsonl") as refusal:
        export_responses(study=study, fmt="pasta-jsonl", path=out)

    assert "Story s1 has 2." in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
    outcome = export_responses(study=study, fmt="pasta-jsonl", path=out, skip_unfit=True)
    assert outcome.left_out == {"unfit": 1} and out.read_bytes() == b""


@pytest.mark.django_db
def test_our_own_export_imported_into_its_study_changes_nothing(tmp_path: Path) -> None:
    round = make_round()
    answer(round)
    for fmt in FORMATS:
        export_responses(study=round.study, fmt=fmt, path=tmp_path / fmt)

        outcome = bring(round.study, tmp_path / fmt)

        assert (outcome.added, outcome.unchanged) == (0, 1)
    elsewhere = bring(make_study(), tmp_path / "jsonl")
    assert elsewhere.added == 1 and elsewhere.participants_left_out == 1


@pytest.mark.django_db
def test_one_round_can_be_written_alone(tmp_path: Path) -> None:
    study = make_study()
    first, second = make_round(study), make_round(study)
    answer(first)
    answer(second)

    outcome = export_responses(study=study, fmt="jsonl", path=tmp_path / "out", round=second)

    assert outcome.rows == 1 and rows(tmp_path / "out")[0]["round"] == second.number


@pytest.mark.django_db
def test_an_existing_file_is_replaced_only_when_told_and_only_by_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    round = make_round()
    answer(round)
    out = tmp_path / "out"
    out.write_text("precious")

    with pytest.raises(ExportRefused, match="--force"):
        export_responses(study=round.study, fmt="jsonl", path=out)
    monkeypatch.setattr(
        "studies.services.response_writing.dump_own", lambda row: exec("raise KeyboardInterrupt")
    )
    with pytest.raises(KeyboardInterrupt):
        export_responses(study=round.study, fmt="jsonl", path=out, force=True)
    assert out.read_text() == "precious" and list(tmp_path.iterdir()) == [out]
    monkeypatch.undo()
    export_responses(study=round.study, fmt="jsonl", path=out, force=True)
    assert len(rows(out)) == 1


@pytest.mark.django_db
def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExportRefused, match="cannot be written: No such file or directory"):
        export_responses(study=make_study(), fmt="jsonl", path=tmp_path / "no" / "out")


@pytest.mark.django_db
@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_plain_file_is_never_replaced(tmp_path: Path, force: bool) -> None:
    """As root, /dev/null was."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    for place in (pipe, tmp_path):
        with pytest.raises(ExportRefused, match="is no plain file"):
            export_responses(study=make_study(), fmt="jsonl", path=place, force=force)

    assert list(tmp_path.iterdir()) == [pipe]
    assert pipe.is_fifo()


@pytest.mark.django_db
@pytest.mark.parametrize("length", [250, 300])
def test_a_name_that_no_file_can_have_is_told(tmp_path: Path, length: int) -> None:
    with pytest.raises(ExportRefused, match="cannot be written: File name too long"):
        export_responses(study=make_study(), fmt="jsonl", path=tmp_path / ("a" * length))


@pytest.mark.django_db
def test_many_responses_are_written_batch_by_batch_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studies.services.response_sources.BATCH", 7)
    study = make_study()
    given = [published_row(f"A{n}", f"s{n % 9}") for n in range(50)]
    import_responses(study=study, source=io.BytesIO(lines(*given)), name="past")

    export_responses(study=study, fmt="pasta-jsonl", path=tmp_path / "out")

    assert rows(tmp_path / "out") == given


@pytest.mark.django_db(transaction=True)
def test_batches_are_read_while_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside a transaction, on a connection that is closed whatever happens."""
    monkeypatch.setattr("studies.services.response_sources.BATCH", 7)
    study = make_study()
    given = [published_row(f"A{n}", f"s{n % 9}") for n in range(50)]
    import_responses(study=study, source=io.BytesIO(lines(*given)), name="past")

    export_responses(study=study, fmt="pasta-jsonl", path=tmp_path / "out")
    monkeypatch.setattr(
        "studies.services.response_writing.dump_own", lambda row: exec("raise KeyboardInterrupt")
    )
    with pytest.raises(KeyboardInterrupt):
        export_responses(study=study, fmt="jsonl", path=tmp_path / "stopped")

    assert rows(tmp_path / "out") == given
    # The server notices a moment later that somebody has gone.
    assert eventually(lambda: connections_of_others() == 0)


@pytest.mark.django_db
@pytest.mark.parametrize("fmt", FORMATS)
def test_what_is_written_is_not_kept_in_memory(
    fmt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studies.services.response_sources.BATCH", 50)
    monkeypatch.setattr("studies.services.response_table.ROWS_AT_ONCE", 50)
    out = tmp_path / "out"

    def peak_and_size(study: Study) -> tuple[int, int]:
        tracemalloc.start()
        try:
            export_responses(study=study, fmt=fmt, path=out, force=True)
            return tracemalloc.get_traced_memory()[1], out.stat().st_size
        finally:
            tracemalloc.stop()

    few, many = make_study(), make_study()
    for study, count in ((few, 100), (many, 1000)):
        given = [published_row(f"A{n}", f"s{n}") for n in range(count)]
        import_responses(study=study, source=io.BytesIO(lines(*given)), name="past")
    peak_and_size(few)

    (peak, size), (higher_peak, larger_size) = peak_and_size(few), peak_and_size(many)

    # Their primary keys are; rows kept would take more than twice what they do in the file.
    assert higher_peak - peak < larger_size - size
