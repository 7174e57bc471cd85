"""Run the demo: `python -m config.demo`. `make demo` does, after installing what it needs."""

import argparse
import os
import signal
import sys
from types import FrameType

from config.death import die_with_parent
from config.demo.errors import DemoError, Stopped
from config.demo.run import Demo
from config.demo.terminal import RED, Terminal
from config.embedded import ServiceError
from config.embedded.errors import explain_os_error
from config.embedded.layout import data_folder


class Requests:
    """Remembers that somebody asked us to stop. The second time we do not wait for anybody."""

    def __init__(self) -> None:
        self.count = 0
        for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # Ignored from the start means: started by nohup, or in the background of a script.
            if signal.getsignal(kind) is not signal.SIG_IGN:
                signal.signal(kind, self._note)

    def __call__(self) -> bool:
        return self.count > 0

    def _note(self, signum: int, frame: FrameType | None) -> None:
        self.count += 1


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m config.demo",
        description="Run the demo until Ctrl-C.",
        epilog="FABULA_PORT names another port than 8000, FABULA_VAR another folder for the data.",
    )
    parser.add_argument("--with-parent", action="store_true", help="end when its starter ends")
    if parser.parse_args(arguments).with_parent:
        die_with_parent(signal.SIGTERM, parent=os.getppid())()
    requests = Requests()
    terminal = Terminal.ours()
    try:
        Demo(terminal=terminal, stopping=requests).run()
    except Stopped:
        return 0
    except (DemoError, ServiceError) as error:
        sentence = str(error)
    except OSError as error:
        sentence = str(explain_os_error(error, data_folder()))
    else:
        return 0
    print(terminal.paint(RED, "  Fabula did not start: ") + sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
