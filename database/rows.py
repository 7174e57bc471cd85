"""Rows written by statements that are planned once on each connection, as `prepared` reads them.

`save` builds its SQL anew each time, which takes several times as long as the writing. These send
no signals, and write no model that inherits from another's table.
"""

from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.models import Model

from database.statement import Parameter, Statement

Fields = tuple[Any, ...]


def insert(row: Model) -> None:
    """As `row.save(force_insert=True)`."""
    model = type(row)
    ((row.pk,),) = _run(_insert(model), row, _inserted(model), is_new=True)
    row._state.adding = False
    row._state.db = DEFAULT_DB_ALIAS


def update(row: Model, names: tuple[str, ...]) -> None:
    """As `row.save(update_fields=names)`. Raises DatabaseError when the row is gone."""
    model = type(row)
    if not _run(_update(model, names), row, _updated(model, names), is_new=False):
        raise DatabaseError(f"There is no {row!r} to be updated.")


def _run(statement: Statement, row: Model, fields: Fields, *, is_new: bool) -> list[Any]:
    connection = connections[DEFAULT_DB_ALIAS]
    given = {
        field.column: field.get_db_prep_save(field.pre_save(row, is_new), connection)
        for field in fields
    }
    with connection.cursor() as cursor:
        cursor.execute(*statement.on(connection, given))
        return list(cursor.fetchall())


@cache
def _inserted(model: type[Model]) -> Fields:
    meta = model._meta
    return tuple(field for field in meta.local_concrete_fields if field != meta.auto_field)


@cache
def _insert(model: type[Model]) -> Statement:
    columns = [field.column for field in _inserted(model)]
    names = ", ".join(map(_quoted, columns))
    places = ", ".join(["%s"] * len(columns))
    table, key = model._meta.db_table, _key(model).column
    sql = f"INSERT INTO {_quoted(table)} ({names}) VALUES ({places}) RETURNING {_quoted(key)}"
    return Statement(f"insert_{table}", sql, [Parameter(column) for column in columns])


@cache
def _updated(model: type[Model], names: tuple[str, ...]) -> Fields:
    return (*map(model._meta.get_field, names), _key(model))


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> Statement:
    columns = [field.column for field in _updated(model, names)]
    *values, key = [f"{_quoted(column)} = %s" for column in columns]
    table = model._meta.db_table
    sql = f"UPDATE {_quoted(table)} SET {', '.join(values)} WHERE {key} RETURNING 1"
    return Statement(f"update_{table}", sql, [Parameter(column) for column in columns])


def _key(model: type[Model]) -> Any:
    return model._meta.pk


def _quoted(name: str) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(name)
