"""SQL that is planned once on each connection."""

import itertools
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.db import DEFAULT_DB_ALIAS, connections
from psycopg2.extensions import AsIs

from database.backend.base import DatabaseWrapper


def present_connection() -> DatabaseWrapper:
    """This thread's."""
    return cast(DatabaseWrapper, connections[DEFAULT_DB_ALIAS])


class Parameter:
    """Stands in the SQL's parameters where an argument goes."""

    def __init__(self, name: str) -> None:
        self.name = name


class Statement:
    """SQL as Django writes it, with its parameters: constants, and where arguments go.

    Not `planned_once`, it is sent whole, and planned for the arguments at hand.
    """

    def __init__(
        self, name: str, sql: str, params: Sequence[Any], *, planned_once: bool = True
    ) -> None:
        self._sql = sql
        self._planned_once = planned_once
        self._params = params
        self._arguments = [param.name for param in params if isinstance(param, Parameter)]
        self._name = f"{name}_{zlib.crc32(sql.encode()):08x}"[-63:]
        places = ", ".join(["%s"] * len(self._arguments))
        self._execute = f'EXECUTE "{self._name}"' + (f" ({places})" if places else "")

    def run(self, connection: DatabaseWrapper, given: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Execute it with the arguments given. Returns all rows, as psycopg2 has them."""
        connection.be_connected()
        if not self._planned_once or connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
            return connection.fetch(self._sql, self._whole(given))
        if self._name not in connection.prepared:
            self._prepare(connection)
        return connection.fetch(self._execute, [given[name] for name in self._arguments])

    def _whole(self, given: Mapping[str, Any]) -> list[Any]:
        return [
            given[param.name] if isinstance(param, Parameter) else param for param in self._params
        ]

    def _prepare(self, connection: DatabaseWrapper) -> None:
        # What is constant is written out: only then does it fit the condition of an index.
        places = map("${}".format, itertools.count(1))
        values = [
            AsIs(next(places)) if isinstance(param, Parameter) else param for param in self._params
        ]
        with connection.cursor() as cursor:
            sql = cursor.cursor.mogrify(self._sql, values).decode()
            cursor.execute(f'PREPARE "{self._name}" AS {sql}')
        connection.prepared.add(self._name)
