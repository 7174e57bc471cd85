"""What a release calls its rows and workers, and the hash that says it is the same one.

The salt comes from the study's own, the seed and the list of rows: the same rows and seed give the
same ids, and two releases of other rows cannot be joined by them.
"""

import hashlib
import hmac
from array import array
from collections.abc import Iterable, Iterator

from annotation.releases.reading import ReleasedRow
from studies.models import Study

WITHHELD = "withheld"


def salt_of(*, study: Study, seed: int, contributions: "array[int]") -> str:
    listed = hashlib.sha256(b"".join(b"%d\n" % pk for pk in contributions)).hexdigest()
    return hmac.new(
        study.export_salt.encode(), f"release:{seed}:{listed}".encode(), hashlib.sha256
    ).hexdigest()


class ReleaseHash:
    """SHA-256 over every row in order: split, worker, and the line as it is written to a file."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def over(self, rows: Iterable[ReleasedRow]) -> Iterator[ReleasedRow]:
        """The rows, taken in as they pass."""
        for row in rows:
            head = f"{row.split or WITHHELD}\t{row.worker}\t"
            self._hash.update(head.encode() + row.line + b"\n")
            yield row

    def hexdigest(self) -> str:
        return self._hash.hexdigest()
