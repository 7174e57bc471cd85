"""SQL that is planned once on each connection."""

import itertools
import zlib
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakSet

from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg2.extensions import AsIs


class Parameter:
    """Stands in the SQL's parameters where an argument goes."""

    def __init__(self, name: str) -> None:
        self.name = name


class Statement:
    """SQL as Django writes it, with its parameters: constants, and where arguments go."""

    def __init__(self, name: str, sql: str, params: Sequence[Any]) -> None:
        self._sql = sql
        self._params = params
        self._arguments = [param for param in params if isinstance(param, Parameter)]
        self._name = f"{name}_{zlib.crc32(sql.encode()):08x}"[-63:]
        places = ", ".join(["%s"] * len(self._arguments))
        self._execute = f'EXECUTE "{self._name}"' + (f" ({places})" if places else "")
        self._prepared_on: WeakSet[Any] = WeakSet()

    def on(
        self, connection: BaseDatabaseWrapper, given: Mapping[str, Any]
    ) -> tuple[str, tuple[Any, ...]]:
        """What a cursor of the connection executes, with the arguments given."""
        if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
            return self._sql, tuple(
                given[param.name] if isinstance(param, Parameter) else param
                for param in self._params
            )
        self._prepare(connection)
        return self._execute, tuple(given[param.name] for param in self._arguments)

    def _prepare(self, connection: BaseDatabaseWrapper) -> None:
        # As Django's own cursors do: a connection that was lost is replaced here, not afterwards.
        connection.close_if_health_check_failed()
        connection.ensure_connection()
        if connection.connection in self._prepared_on:
            return
        with connection.cursor() as cursor:
            # What is constant is written out: only then does it fit the condition of an index.
            places = map("${}".format, itertools.count(1))
            values = [
                AsIs(next(places)) if isinstance(param, Parameter) else param
                for param in self._params
            ]
            sql = cursor.cursor.mogrify(self._sql, values).decode()
            cursor.execute(f'PREPARE "{self._name}" AS {sql}')
        self._prepared_on.add(connection.connection)
