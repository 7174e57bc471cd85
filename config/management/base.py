"""What backup and restore share: bytes counted on standard error, where that is a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from config.backup.archive import Progress


@contextmanager
def byte_counter() -> Iterator[Progress]:
    with tqdm(unit="B", unit_scale=True, leave=False, disable=None) as bar:

        def show(what: str, count: int) -> None:
            bar.set_description_str(what, refresh=False)
            bar.update(count)

        yield show
