"""Ratings made elsewhere: a result file into items and ratings, all of it or nothing."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import PurePath
from typing import Any, BinaryIO

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.models import Instrument, Item, Rating, ResultFile
from evaluation.result_files.columns import Columns, match_columns
from evaluation.result_files.errors import BadResults
from evaluation.result_files.mapping import ColumnMap
from evaluation.result_files.rows import ReadRating, ResultTable, is_rejected, read_row
from evaluation.result_files.sides import match_sides
from evaluation.services.storing import RatingStore
from studies.jobs import Watcher
from studies.models import Study
from studies.services.table_statistics import refresh_statistics

BATCH = 500
CHUNK = 2**20
LONGEST_NAME = 200


class AlreadyImported(BadResults):
    """The study has this file, and it counts."""


@dataclass(frozen=True)
class ImportSummary:
    result_file: int
    file: str
    instrument: str
    version: int
    system: str
    rival: str
    items: int
    ratings: int
    raters: int
    left_out: int
    columns: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Reading:
    """How a file is to be read."""

    instrument: Instrument
    system: str
    map: ColumnMap
    reverse: Sequence[str] = ()
    rival: str = ""

    def columns_of(self, header: Sequence[str]) -> Columns:
        """Raises BadResults."""
        declared = self.instrument.declared
        columns = match_columns(header, declared, self.map, self.reverse)
        sides = match_sides(header, declared, self.map, system=self.system, rival=self.rival)
        return replace(columns, sides=sides)


@transaction.atomic
def import_results(
    *,
    study: Study,
    source: BinaryIO,
    name: str,
    reading: Reading,
    user: Any = None,
    progress: Watcher = lambda done, total, message: None,
) -> ImportSummary:
    """Read the file row by row and store its items and ratings.

    Rejected assignments are left out and counted. Raises BadResults.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    digest = hash_of(source)
    _refuse_twice(study, digest)
    table = ResultTable(source)
    columns = reading.columns_of(table.header)
    file = ResultFile.objects.create(
        study=study,
        instrument=reading.instrument,
        system=reading.system,
        rival=reading.rival,
        name=PurePath(name).name[-LONGEST_NAME:],
        sha256=digest,
        columns=columns.described,
        imported_by=user,
    )
    store = _store(file, _Rows(table, columns), progress)
    table.release()
    refresh_statistics(Item, Rating, added=store.ratings)
    return _summary(file, store)


def _summary(file: ResultFile, store: RatingStore) -> ImportSummary:
    return ImportSummary(
        result_file=file.pk,
        file=file.name,
        instrument=file.instrument.slug,
        version=file.instrument.version,
        system=file.system,
        rival=file.rival,
        items=store.items,
        ratings=store.ratings,
        raters=store.raters,
        left_out=file.left_out,
        columns=file.columns,
    )


def _store(file: ResultFile, rows: "_Rows", progress: Watcher) -> RatingStore:
    store = RatingStore(file)
    while batch := list(islice(rows, BATCH)):
        store.add(batch)
        progress(store.ratings, None, _("Importing ratings"))
    if not store.ratings and rows.left_out:
        raise BadResults(_("All assignments in the file were rejected: there are no ratings."))
    if not store.ratings:
        raise BadResults(_("The file has no ratings."))
    file.left_out = rows.left_out
    file.save(update_fields=["left_out"])
    return store


class _Rows:
    """The ratings of a table; counts what is left out."""

    def __init__(self, table: ResultTable, columns: Columns) -> None:
        self.left_out = 0
        self._found = self._read(table, columns)

    def __iter__(self) -> Iterator[ReadRating]:
        return self._found

    def _read(self, table: ResultTable, columns: Columns) -> Iterator[ReadRating]:
        for number, cells in table.rows():
            if is_rejected(cells, columns):
                self.left_out += 1
            else:
                yield read_row(number, cells, columns)


def hash_of(source: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := source.read(CHUNK):
        digest.update(chunk)
    source.seek(0)
    return digest.hexdigest()


def _refuse_twice(study: Study, digest: str) -> None:
    earlier = ResultFile.objects.filter(study=study, sha256=digest, withdrawn_at=None).first()
    if earlier is not None:
        raise AlreadyImported(
            _("This file was imported on %(day)s as %(file)s, with the system %(system)s.")
            % {
                "day": earlier.imported_at.date().isoformat(),
                "file": earlier.name,
                "system": earlier.system,
            }
        )
