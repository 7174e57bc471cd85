"""Tells whether this host's job worker answers, or its beat has ticked lately.

`python -m config.alive worker` and `python -m config.alive beat` end with status 0 when it is so.
"""

import socket
import sys
import time

from config.embedded.layout import data_folder

ANSWER_SECONDS = 5.0
# Beat writes down what it has sent every few seconds.
MOST_SILENT_SECONDS = 90.0


def worker_answers() -> bool:
    """Ask over the broker; the process that hands out jobs answers, however busy the others are."""
    from config.celery import BrokerAway, app

    name = f"celery@{socket.gethostname()}"
    try:
        return bool(app.control.ping(destination=[name], timeout=ANSWER_SECONDS))
    except BrokerAway as error:
        print(f"The broker does not answer: {error}", file=sys.stderr)
        return False


def beat_ticks() -> bool:
    books = data_folder().glob("celerybeat-schedule*")
    latest = max((book.stat().st_mtime for book in books), default=0.0)
    return time.time() - latest < MOST_SILENT_SECONDS


def main(arguments: list[str]) -> int:
    asked = {"worker": worker_answers, "beat": beat_ticks}
    if len(arguments) != 1 or arguments[0] not in asked:
        sys.exit("Say of whom: worker or beat.")
    return 0 if asked[arguments[0]]() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
