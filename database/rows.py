"""Rows written by statements that are planned once on each connection, as `prepared` reads them.

`save` builds its SQL anew each time, which takes several times as long as the writing. These send
no signals, and write no model that inherits from another's table.

    with together():  # one message to the database instead of two
        update(hit, ("available",))
        insert(assignment)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, DatabaseError, models
from django.db.models import Model

from database.statement import Parameter, Statement, present_connection

Names = tuple[str, ...]
ALL: Names = ()


def insert(row: Model) -> None:
    """As `row.save(force_insert=True)`."""
    _write(row, ALL)


def update(row: Model, names: Names) -> None:
    """As `row.save(update_fields=names)`. Raises DatabaseError when the row is gone."""
    _write(row, names)


@contextmanager
def together() -> Iterator[None]:
    """Keep what the block writes and send it in one statement when the block is left.

    Until then a new row has no key, though a row that is written after it may refer to it. The
    writes happen in no order: no two of one row, and none that makes room for another.
    """
    if _waiting.get() is not None:
        yield
        return
    writes: list[_Written] = []
    token = _waiting.set(writes)
    try:
        yield
    finally:
        _waiting.reset(token)
    if writes:
        _send(writes)


class _Written(NamedTuple):
    """A row, and which fields of it: ALL for one that is new."""

    row: Model
    names: Names


_waiting: ContextVar[list[_Written] | None] = ContextVar("rows_waiting", default=None)


def _write(row: Model, names: Names) -> None:
    waiting = _waiting.get()
    if waiting is None:
        _send([_Written(row, names)])
    else:
        waiting.append(_Written(row, names))


def _send(writes: list[_Written]) -> None:
    plan = _plan(tuple(_shape(written, writes) for written in writes))
    connection = present_connection()
    given = {}
    for at, name, field, native in plan.places:
        row, names = writes[at]
        value = getattr(row, field.attname) if native else field.pre_save(row, not names)
        as_it_is = value is None or type(value) is native
        given[name] = value if as_it_is else field.get_db_prep_save(value, connection)
    # An update of one row that is gone returns none.
    keys = next(iter(plan.statement.run(connection, given)), (None,))
    for (row, names), key in zip(writes, keys, strict=True):
        if key is None:
            raise DatabaseError(f"There is no {row!r} to be updated.")
        if not names:
            row.pk = key
            row._state.adding = False
            row._state.db = DEFAULT_DB_ALIAS
    for place, field in plan.links:
        # Assigned again, what it refers to brings its key along.
        row = writes[place].row
        setattr(row, field.name, field.get_cached_value(row))


class _Shape(NamedTuple):
    """All of a write that its SQL depends on.

    `links`: columns that refer to a row written before in the same statement, by its place.
    """

    model: type[Model]
    names: Names
    links: tuple[tuple[str, int], ...]


def _shape(written: _Written, writes: list[_Written]) -> _Shape:
    row, names = written
    links = []
    for field in _references(type(row)):
        if getattr(row, field.attname) is None and field.is_cached(row):
            target = field.get_cached_value(row)
            links += [(field.column, at) for at, one in enumerate(writes) if one.row is target]
    return _Shape(type(row), names, tuple(links))


@cache
def _references(model: type[Model]) -> tuple[Any, ...]:
    return tuple(field for field in model._meta.local_concrete_fields if field.remote_field)


class _Place(NamedTuple):
    """Where a field of the row that is written at that place goes: the name of a parameter."""

    at: int
    name: str
    field: Any
    native: type | None


class _Plan(NamedTuple):
    """A statement; which field of which written row goes where, and which gets its value there."""

    statement: Statement
    places: tuple[_Place, ...]
    links: tuple[tuple[int, Any], ...]


@cache
def _plan(shapes: tuple[_Shape, ...]) -> _Plan:
    parts, places, linked = [], [], []
    for place, shape in enumerate(shapes):
        fields = _fields(shape)
        links = dict(shape.links)
        parts.append(_sql(shape, fields, links))
        for field in fields:
            if field.column in links:
                linked.append((place, field))
            else:
                places.append(_Place(place, f"{place}.{field.column}", field, _native(field)))
    sql = parts[0] if len(parts) == 1 else _at_once(parts)
    tables = "_".join(shape.model._meta.db_table for shape in shapes)
    parameters = [Parameter(place.name) for place in places]
    return _Plan(Statement(f"write_{tables}", sql, parameters), tuple(places), tuple(linked))


# A value of these types goes to psycopg2 as a row holds it; Django looks at each anew.
NATIVE: dict[type, type] = {
    models.AutoField: int,
    models.BigAutoField: int,
    models.BooleanField: bool,
    models.CharField: str,
    models.DateTimeField: datetime,
    models.IntegerField: int,
    models.PositiveIntegerField: int,
    models.PositiveSmallIntegerField: int,
    models.TextField: str,
}


def _native(field: Any) -> type | None:
    """None where the field converts what it holds, or fills itself in."""
    if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False):
        return None
    return NATIVE.get(type(field.target_field if field.remote_field else field))


def _at_once(parts: list[str]) -> str:
    written = ", ".join(f"w{place} AS ({part})" for place, part in enumerate(parts))
    keys = ", ".join(f"(SELECT pk FROM w{place})" for place in range(len(parts)))
    return f"WITH {written} SELECT {keys}"


def _fields(shape: _Shape) -> list[Any]:
    """In the order of the statement's parameters."""
    meta = shape.model._meta
    if shape.names:
        return [*map(meta.get_field, shape.names), meta.pk]
    return [field for field in meta.local_concrete_fields if field != meta.auto_field]


def _sql(shape: _Shape, fields: list[Any], links: dict[str, int]) -> str:
    """A write that answers with the row's key as `pk`."""
    meta: Any = shape.model._meta
    table, key = _quoted(meta.db_table), _quoted(meta.pk.column)
    values = [
        f"(SELECT pk FROM w{links[field.column]})" if field.column in links else "%s"
        for field in fields
    ]
    columns = [_quoted(field.column) for field in fields]
    if shape.names:
        *changes, found = map(" = ".join, zip(columns, values, strict=True))
        return f"UPDATE {table} SET {', '.join(changes)} WHERE {found} RETURNING {key} AS pk"
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(values)}) "
        f"RETURNING {key} AS pk"
    )


def _quoted(name: str) -> str:
    return present_connection().ops.quote_name(name)
