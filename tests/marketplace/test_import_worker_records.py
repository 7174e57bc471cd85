import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from marketplace.models import Worker
from tests.marketplace.factories import make_worker

pytestmark = pytest.mark.django_db
HEADER = "worker_id,approved,rejected,country,subdivision,source\n"


def run(path: Path) -> dict[str, int]:
    out = StringIO()
    call_command("import_worker_records", str(path), "--format", "json", stdout=out)
    done: dict[str, int] = json.loads(out.getvalue())
    return done


@pytest.fixture
def worker() -> Worker:
    return make_worker()


def test_records_come_in_with_their_source_and_a_second_time_changes_nothing(
    tmp_path: Path, worker: Worker
) -> None:
    path = tmp_path / "records.csv"
    path.write_text(
        "\ufeff" + HEADER + f'{worker.worker_id},5120,14,US,CA,"statement, read in May"\n',
        encoding="utf-8",
    )

    assert run(path) == {"changed": 1, "unchanged": 0}
    assert run(path) == {"changed": 0, "unchanged": 1}

    worker.refresh_from_db()
    assert (worker.approved_before, worker.rejected_before) == (5120, 14)
    assert (worker.country, worker.subdivision) == ("US", "CA")
    assert worker.record_source == "statement, read in May"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("ANOBODY,1,0,US,,seen", "Row 3: There is no worker “ANOBODY”."),
        ("{id},many,0,US,,seen", "Row 3: approved is not a whole number: “many”."),
        ("{id},-1,0,US,,seen", "not a whole number"),
        ("{id},9999999999,0,US,,seen", "not a whole number"),
        ("{id},1,0,us,,seen", "two-letter country code"),
        ("{id},1,0,,CA,seen", "A state or province needs its country."),
        ("{id},1,0,US,,", "Say where the earlier record and the country come from."),
        ("{id}", "Row 3: it has not as many cells as the header."),
        ("{id},1,0,US,,seen,again", "not as many cells"),
    ],
)
def test_one_wrong_row_keeps_the_whole_file_out(
    tmp_path: Path, worker: Worker, row: str, said: str
) -> None:
    path = tmp_path / "records.csv"
    path.write_text(
        HEADER + f"{worker.worker_id},7,0,,,seen\n" + row.format(id=worker.worker_id) + "\n"
    )

    with pytest.raises(CommandError) as refused:
        run(path)

    assert said in str(refused.value)
    assert str(refused.value).endswith("Nothing was changed.")
    worker.refresh_from_db()
    assert worker.approved_before == 0


def test_a_missing_column_or_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text("worker_id,approved\n")

    with pytest.raises(CommandError, match="column rejected is missing"):
        run(path)
    with pytest.raises(CommandError, match="cannot be read"):
        run(tmp_path / "absent.csv")
    path.write_bytes(HEADER.encode() + b"\xff\n")
    with pytest.raises(CommandError, match="not UTF-8"):
        run(path)


def test_the_database_wants_a_source_too(worker: Worker) -> None:
    for fields in ({"approved_before": 1}, {"country": "US"}):
        with (
            pytest.raises(IntegrityError, match="worker_record_and_country_need_source"),
            transaction.atomic(),
        ):
            Worker.objects.filter(pk=worker.pk).update(**fields)
