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
"""

import copy
import inspect
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet, Value
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

from database.statement import Parameter, Statement

P = ParamSpec("P")
Row = TypeVar("Row")


class Prepared(Generic[P, Row]):
    """Runs the query that `build` returns, with the arguments given, and lists its rows.

    `build` is called once, with placeholders for its arguments, so it may only hand them on to
    the query: as plain values that psycopg2 knows (a key, not a model instance), never None.
    Raises what the queryset would raise; TransactionManagementError for a lock without transaction.
    """

    def __init__(self, build: Callable[P, "QuerySet[Any, Row]"]) -> None:
        self._build: Callable[..., QuerySet[Any, Row]] = build
        self._names = list(inspect.signature(build).parameters)
        self._plan: _Plan | None = None
        self._planning = Lock()
        update_wrapper(self, build)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[Row]:
        plan = self._plan or self._make_plan()
        given = dict(zip(self._names, args, strict=False)) | kwargs
        iterable: Any = plan.rows._iterable_class
        return list(iterable(_Source(plan, plan.compiler(given))))

    def first(self, *args: P.args, **kwargs: P.kwargs) -> Row | None:
        """The first row, or None. Bound what the query can return: it is all read."""
        return next(iter(self(*args, **kwargs)), None)

    def _make_plan(self) -> "_Plan":
        # One plan, also of two threads that come first: it knows where its name is taken.
        with self._planning:
            if self._plan is None:
                rows = self._build(**{name: Value(Parameter(name)) for name in self._names})
                self._plan = _Plan(f"{self._build.__module__}.{self._build.__name__}", rows)
            return self._plan


prepared = Prepared


class _Plan:
    """The SQL of a queryset, and the compiler that knows how to read its rows."""

    def __init__(self, name: str, rows: "QuerySet[Any, Any]") -> None:
        self.rows = rows
        self._compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
        self._statement = Statement(name, *self._compiler.as_sql())

    def compiler(self, given: dict[str, Any]) -> SQLCompiler:
        connection = connections[DEFAULT_DB_ALIAS]
        if self.rows.query.select_for_update and connection.get_autocommit():
            raise TransactionManagementError("A row is locked within a transaction only.")
        compiler: SQLCompiler = copy.copy(self._compiler)
        compiler.connection = connection
        statement = self._statement.on(connection, given)
        compiler.as_sql = lambda *_, **__: statement  # type: ignore[method-assign]
        return compiler


class _Source:
    """What Django's row iterators read of a queryset."""

    db = DEFAULT_DB_ALIAS
    _known_related_objects: dict[Any, Any] = {}

    def __init__(self, plan: _Plan, compiler: SQLCompiler) -> None:
        self.model = plan.rows.model
        self.query = _Query(plan.rows.query, compiler)
        self._fields = getattr(plan.rows, "_fields", None)


class _Query:
    def __init__(self, query: Any, compiler: SQLCompiler) -> None:
        self._query = query
        self._compiler = compiler

    def get_compiler(self, *_: Any, **__: Any) -> SQLCompiler:
        return self._compiler

    def __getattr__(self, name: str) -> Any:
        return getattr(self._query, name)
