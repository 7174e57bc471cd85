"""Where Django looks for the backend that DATABASES["default"]["ENGINE"] names."""

import select
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import psycopg2
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper


class ErrorWrapper(DatabaseErrorWrapper):
    """Of a connection that breaks while a statement is sent psycopg2 says no more than that
    something is wrong with the database. An error of the server has its code."""

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        if exc_type is psycopg2.DatabaseError and exc_value.pgcode is None:
            exc_type = psycopg2.OperationalError
        super().__exit__(exc_type, exc_value, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """`prepared`: the names of the statements that the server keeps for the present connection."""

    prepared: set[str]

    @cached_property
    def wrap_database_errors(self) -> ErrorWrapper:
        return ErrorWrapper(self)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self.prepared = set()
        return super().get_new_connection(conn_params)

    def is_usable(self) -> bool:
        """Asked before the first query of each request. Asks the server only when it has to.

        An idle connection has something to read when the server has closed it, or told something.
        One that broke in the middle of a request is closed on this side, too.
        """
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        return not waiting.poll(0) or super().is_usable()

    def be_connected(self) -> None:
        """As Django does before each query. Nothing is prepared yet on a connection that is new."""
        self.close_if_health_check_failed()
        self.ensure_connection()

    def fetch(self, sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Execute SQL once there is a connection. Returns all rows.

        Django's cursors wrap what is called here in layers for those who look at queries: they are
        left out while nobody does.
        """
        rows: list[tuple[Any, ...]]
        if self.execute_wrappers or self.queries_logged:
            with self.cursor() as cursor:
                cursor.execute(sql, params)
                rows = cursor.fetchall()
            return rows
        self.validate_no_broken_transaction()
        with self.wrap_database_errors, self.connection.cursor() as cursor:
            cursor.tzinfo_factory = self.tzinfo_factory
            cursor.execute(sql, params)
            rows = cursor.fetchall()
        return rows
