"""Where Django looks for the backend that DATABASES["default"]["ENGINE"] names."""

import select
from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """`prepared`: the names of the statements that the server keeps for the present connection."""

    prepared: set[str]

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self.prepared = set()
        return super().get_new_connection(conn_params)

    def is_usable(self) -> bool:
        """Asked before the first query of each request. Asks the server only when it has to.

        An idle connection has something to read when the server has closed it, or told something.
        """
        if self.connection is None:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        return not waiting.poll(0) or super().is_usable()
