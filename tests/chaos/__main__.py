"""python -m tests.chaos --faults N --seed S [--only web,worker,broker,database,all] [--hurry]"""

import argparse
import secrets
import sys
import time
from pathlib import Path

from tests.chaos.faults import FAULTS
from tests.chaos.run import Broken, Run
from tests.chaos.site import Site, SiteError, make_folder, remove_folder


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(20))
    parser.add_argument("--only", choices=list(FAULTS))
    parser.add_argument("--hurry", action="store_true", help="let leases lapse at once at the end")
    parser.add_argument("--schema", type=Path, help="tables to begin with, in place of migrating")
    options = parser.parse_args()
    folder = make_folder()
    began = time.monotonic()
    print(f"{options.faults} faults, seed {options.seed}, in {folder}", flush=True)
    try:
        with Site(folder, schema=options.schema) as site:
            run = Run(
                site,
                count=options.faults,
                seed=options.seed,
                only=options.only,
                hurry=options.hurry,
            )
            try:
                run.run()
            except (Broken, SiteError) as error:
                print("\n".join(run.tally.lines()))
                print(f"BROKEN with --seed {options.seed}:\n{error}")
                print(f"The logs are in {folder}.")
                return 1
            print("\n".join(run.tally.lines()))
            print(f"everything holds, in {time.monotonic() - began:.0f} s")
    except KeyboardInterrupt:
        print("stopped")
        return 130
    remove_folder(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
