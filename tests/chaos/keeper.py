"""Keeps the embedded services of a data folder up, as `make demo` does, until its input ends."""

import json
import os
import select
import sys

from config import embedded

KEEP_SECONDS = 0.5


def main() -> None:
    with embedded.Services() as services:
        print(json.dumps({name: os.environ[name] for name in services.urls}), flush=True)
        while not select.select([sys.stdin], [], [], KEEP_SECONDS)[0]:
            services.keep()


if __name__ == "__main__":
    main()
