"""python -m tests.scenes [--only PART ...] [--folder FOLDER]

Takes screenshots of every scene, and says what axe-core finds on it.
"""

import argparse
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from playwright.sync_api import sync_playwright

from config.embedded.layout import BASE_DIR
from tests import environment

environment.prepare()

from tests.browser import launch  # noqa: E402
from tests.scenes.album import fill_album  # noqa: E402  (Django's settings are read from here on)
from tests.scenes.all import SCENES  # noqa: E402
from tests.scenes.stage import Stage  # noqa: E402
from tests.stack import Stack  # noqa: E402


class Unblocked:
    """Outside pytest nothing keeps us off the database."""

    def unblock(self) -> AbstractContextManager[None]:
        return nullcontext()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.scenes", description=__doc__)
    parser.add_argument("--only", nargs="*", default=[""], help="parts of scenes' names")
    parser.add_argument("--folder", type=Path, default=BASE_DIR / "screenshots")
    options = parser.parse_args()
    scenes = [scene for scene in SCENES if any(part in scene.name for part in options.only)]
    with (
        tempfile.TemporaryDirectory(prefix="fabula-scenes-") as place,
        Stack(folder=Path(place), blocker=Unblocked()) as stack,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        wrong = fill_album(Stage(stack, browser), scenes, options.folder)
        browser.close()
    print(f"{len(scenes)} scenes: {options.folder}/index.html")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
