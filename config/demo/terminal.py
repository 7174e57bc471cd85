"""What the demo says, on a terminal that may go away at any time."""

import os
import sys
from dataclasses import dataclass

BOLD, DIM, GREEN, RED, PLAIN = "\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[0m"


@dataclass
class Terminal:
    """Writes lines. A closed terminal is no reason to leave processes behind, so it is ignored."""

    colour: bool = False
    gone: bool = False

    @classmethod
    def ours(cls) -> "Terminal":
        return cls(colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))

    def say(self, line: str = "") -> None:
        if self.gone:
            return
        try:
            print(line, flush=True)
        except OSError:
            self.gone = True
            # The interpreter flushes once more as it ends; that must not fail either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def step(self, words: str) -> None:
        self.say(self.paint(DIM, f"  {words}"))

    def paint(self, code: str, words: str) -> str:
        return f"{code}{words}{PLAIN}" if self.colour else words
