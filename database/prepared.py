"""Queries that are built once in each process and planned once on each connection.

Django builds a queryset's SQL anew each time, and PostgreSQL plans it anew: for a small query the
two take several times as long as the answer. The requests that workers wait for run the same few
queries over and over:

    @prepared
    def held_by(*, worker: int, at: datetime) -> QuerySet[Assignment]:
        return Assignment.objects.filter(worker=worker, deadline__gt=at)

    held_by(worker=7, at=now)  # a list of assignments

A prepared statement belongs to a connection. Behind a pooler that hands connections on after each
transaction (DATABASE_TRANSACTION_POOLING) the SQL is sent whole, and only the building is saved.

What reads thousands of rows is `prebuilt`: built once, and planned for its arguments each time. A
plan for any argument could take far longer than planning does.
"""

import inspect
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet, Value
from django.db.transaction import TransactionManagementError

from database.reading import READERS
from database.statement import Parameter, Statement, present_connection

P = ParamSpec("P")
Row = TypeVar("Row")


class Prepared(Generic[P, Row]):
    """Runs the query that `build` returns, with the arguments given, and lists its rows.

    `build` is called once, with placeholders for its arguments, so it may only hand them on to
    the query: as plain values that psycopg2 knows (a key, not a model instance), never None.
    It returns whole models or a `values_list`, nothing prefetched.
    Raises what the queryset would raise; TransactionManagementError for a lock without transaction.
    """

    planned_once = True

    def __init__(self, build: Callable[P, "QuerySet[Any, Row]"]) -> None:
        self._build: Callable[..., QuerySet[Any, Row]] = build
        self._names = list(inspect.signature(build).parameters)
        self._plan: _Plan | None = None
        self._planning = Lock()
        update_wrapper(self, build)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[Row]:
        plan = self._plan or self._make_plan()
        return plan.run(dict(zip(self._names, args, strict=False)) | kwargs)

    def first(self, *args: P.args, **kwargs: P.kwargs) -> Row | None:
        """The first row, or None. Bound what the query can return: it is all read."""
        return next(iter(self(*args, **kwargs)), None)

    def _make_plan(self) -> "_Plan":
        # One plan, also of two threads that come first: it knows where its name is taken.
        with self._planning:
            if self._plan is None:
                rows = self._build(**{name: Value(Parameter(name)) for name in self._names})
                name = f"{self._build.__module__}.{self._build.__name__}"
                self._plan = _Plan(name, rows, planned_once=self.planned_once)
            return self._plan


class Prebuilt(Prepared[P, Row]):
    planned_once = False


prepared, prebuilt = Prepared, Prebuilt


class _Plan:
    """The SQL of a queryset, and how its rows are read."""

    def __init__(self, name: str, rows: "QuerySet[Any, Any]", *, planned_once: bool) -> None:
        compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
        self._statement = Statement(name, *compiler.as_sql(), planned_once=planned_once)
        self._locks = rows.query.select_for_update
        # For each column that Django converts: its place, and what it goes through.
        columns = [column for column, *_ in compiler.select]
        self._converters = compiler.get_converters(columns)
        self._read = READERS[rows._iterable_class](compiler)

    def run(self, given: dict[str, Any]) -> list[Any]:
        connection = present_connection()
        if self._locks and connection.get_autocommit():
            raise TransactionManagementError("A row is locked within a transaction only.")
        found = self._statement.run(connection, given)
        if self._converters:
            found = [self._converted(row, connection) for row in found]
        return [self._read(row) for row in found]

    def _converted(self, row: tuple[Any, ...], connection: Any) -> tuple[Any, ...]:
        values = list(row)
        for place, (converters, column) in self._converters.items():
            for convert in converters:
                values[place] = convert(values[place], column, connection)
        return tuple(values)
