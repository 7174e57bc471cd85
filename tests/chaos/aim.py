"""The moment of a strike: at random within an operation that is under way."""

import random
import time

import psycopg2
import psycopg2.extensions

from tests.chaos.promises import Promises
from tests.chaos.researcher import Researcher
from tests.chaos.site import Site

COMMANDS = ("publish", "import", "export")
OPERATIONS = ("accept", "open", "draft", "submit", "send", "confirm", *COMMANDS)
# What nobody is seen doing for so long is not waited for.
SEEN_SECONDS = 1.0
LONGEST_SECONDS = 0.5
# What the site does by itself, seen from its rows.
SERVERS_OWN = {
    "publish": "SELECT 1 FROM marketplace_hit WHERE created_at > now() - interval '0.1 s' LIMIT 1",
    "confirm": """
        SELECT 1 FROM studies_response r JOIN studies_assignment a ON a.id = r.assignment_id
        JOIN marketplace_assignment m ON m.assignment_id = a.marketplace_id
        WHERE r.state = 'submitted' AND m.status <> 'Accepted' LIMIT 1""",
}


class Aim:
    def __init__(
        self, site: Site, promises: Promises, researcher: Researcher, draw: random.Random
    ) -> None:
        self.site = site
        self.promises = promises
        self.researcher = researcher
        self.draw = draw
        self._connection: psycopg2.extensions.connection | None = None

    def wait_for(self, operation: str) -> None:
        """Until somebody is at it, and then for a part of the time that it takes."""
        part = self.draw.random()
        self.researcher.wish(operation)
        end = time.monotonic() + SEEN_SECONDS
        while not self.is_under_way(operation) and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(part * min(self.promises.took.get(operation, 0.02), LONGEST_SECONDS))

    def is_under_way(self, operation: str) -> bool:
        if self.promises.busy[operation]:
            return True
        try:
            return operation in SERVERS_OWN and self._answers(SERVERS_OWN[operation])
        except psycopg2.Error:
            return False

    def _answers(self, statement: str) -> bool:
        """Over a connection that is kept while it lasts: this is asked often."""
        if self._connection is None or self._connection.closed:
            self._connection = self.site.connect()
        with self._connection.cursor() as cursor:
            cursor.execute(statement)
            return bool(cursor.rowcount)
