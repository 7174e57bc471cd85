"""Earlier records and countries of workers, from a CSV file: all of it or nothing."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from marketplace.models import Worker

COLUMNS = ("worker_id", "approved", "rejected", "country", "subdivision", "source")
LARGEST = 2_000_000_000


@dataclass(frozen=True)
class RecordsImported:
    changed: int
    unchanged: int


class RecordsNotUsable(Exception):
    """`problems`: one sentence each, naming the row."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


@transaction.atomic
def import_worker_records(*, lines: Iterable[str]) -> RecordsImported:
    """Rows of worker_id, approved, rejected, country, subdivision, source (header first).

    Raises RecordsNotUsable, and then nothing was changed.
    """
    reader = csv.DictReader(lines)
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise RecordsNotUsable([_("The column %(name)s is missing.") % {"name": missing[0]}])
    problems: list[str] = []
    changed = unchanged = 0
    for row in reader:
        try:
            is_new = _store(row)
        except ValidationError as error:
            where = _("Row %(row)d:") % {"row": reader.line_num}
            problems.append(f"{where} {' '.join(error.messages)}")
            continue
        changed += is_new
        unchanged += not is_new
    if problems:
        raise RecordsNotUsable(problems)
    return RecordsImported(changed=changed, unchanged=unchanged)


def _store(row: Mapping[str | Any, str | Any]) -> bool:
    """Whether it changed anything."""
    if any(cell is None for cell in row.values()) or None in row:
        raise ValidationError(_("it has not as many cells as the header."))
    cells = {name: (row[name] or "").strip() for name in COLUMNS}
    worker = (
        Worker.objects.select_for_update(no_key=True).filter(worker_id=cells["worker_id"]).first()
    )
    if worker is None:
        raise ValidationError(_("There is no worker “%(id)s”.") % {"id": cells["worker_id"][:40]})
    wanted: dict[str, int | str] = {
        "approved_before": _number(cells["approved"], "approved"),
        "rejected_before": _number(cells["rejected"], "rejected"),
        "country": cells["country"],
        "subdivision": cells["subdivision"],
        "record_source": cells["source"],
    }
    if all(getattr(worker, name) == value for name, value in wanted.items()):
        return False
    for name, value in wanted.items():
        setattr(worker, name, value)
    worker.full_clean()
    worker.save(update_fields=list(wanted))
    return True


def _number(cell: str, column: str) -> int:
    text = cell or "0"
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= LARGEST):
        raise ValidationError(
            _("%(column)s is not a whole number: “%(cell)s”.")
            % {"column": column, "cell": cell[:40]}
        )
    return int(text)
