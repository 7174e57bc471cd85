"""The rows of a release to files: JSON lines and Parquet for each split, and a list of all rows."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import orjson

from annotation.releases.columns import Kind, columns_of
from annotation.releases.identity import WITHHELD
from annotation.releases.reading import ReleasedRow
from studies.services.response_table import BUFFER

# Every row of the release, the withheld ones too: its split, story, round and worker's pseudonym.
ROWS_FILE = "rows.jsonl"
ROW_GROUP = 2_000


def write_splits(*, rows: Iterable[ReleasedRow], folder: Path, layout: str) -> None:
    """One pass over the rows; of each split only a row group is held."""
    with ExitStack() as files:
        listed = files.enter_context((folder / ROWS_FILE).open("xb", buffering=BUFFER))
        writers: dict[str, SplitWriter] = {}
        for row in rows:
            listed.write(orjson.dumps(_entry(row)) + b"\n")
            if row.split and row.split not in writers:
                opened = split_writer(folder, row.split, layout)
                writers[row.split] = files.enter_context(opened)
            if row.split:
                writers[row.split].add(row)


def _entry(row: ReleasedRow) -> dict[str, Any]:
    return {
        "AssignmentId": row.label,
        "story": row.item["story_id"],
        "split": row.split or WITHHELD,
        "round": row.round,
        "worker": row.worker or None,
    }


class SplitWriter:
    def __init__(self, lines: Any, table: Any, schema: Any) -> None:
        self._lines = lines
        self._table = table
        self._schema = schema
        self._group: list[dict[str, Any]] = []

    def add(self, row: ReleasedRow) -> None:
        self._lines.write(row.line + b"\n")
        self._group.append(row.fields)
        if len(self._group) == ROW_GROUP:
            self.write_group()

    def write_group(self) -> None:
        import pyarrow

        if self._group:
            self._table.write_table(pyarrow.Table.from_pylist(self._group, schema=self._schema))
            self._group.clear()


@contextmanager
def split_writer(folder: Path, split: str, layout: str) -> Iterator[SplitWriter]:
    # Imported where rows are written: it takes a third of a second that nothing else should wait.
    from pyarrow import parquet

    schema = parquet_schema(layout)
    with (
        (folder / f"{split}.jsonl").open("xb", buffering=BUFFER) as lines,
        parquet.ParquetWriter(folder / f"{split}.parquet", schema, compression="zstd") as table,
    ):
        writer = SplitWriter(lines, table, schema)
        yield writer
        writer.write_group()


def parquet_schema(layout: str) -> Any:
    import pyarrow

    types = {
        Kind.TEXT: pyarrow.string(),
        Kind.BOOLEAN: pyarrow.bool_(),
        Kind.TEXTS: pyarrow.list_(pyarrow.string()),
        Kind.NUMBERS: pyarrow.list_(pyarrow.int64()),
    }
    return pyarrow.schema([(one.name, types[one.kind]) for one in columns_of(layout)])
