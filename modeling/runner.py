"""The process of one run: `python -m modeling.runner FOLDER [--supervised]`.

It is given its folder and never touches the database. Supervised, it ends with who started it: the
other end of its standard input closes with that process, however that ended.
"""

import errno
import fcntl
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from modeling import copying
from modeling.configuration import BadConfiguration
from modeling.methods import METHODS
from modeling.reporting import RunCancelled, RunFailure, TakenOver
from modeling.run_folder import CANCELLED, DONE, FAILED, Outcome, Reason, RunFolder

logger = logging.getLogger("fabula.runner")
SUPERVISED = "--supervised"
# So long an earlier runner, that was told to end, may take to be gone.
PATIENCE_SECONDS = 30.0
GPU_LIBRARIES = ("torch", "accelerate", "bert_score", "sentence_transformers")
NOT_ALONE = 75


def main(arguments: list[str]) -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    folder = RunFolder(Path(arguments[0]))
    if SUPERVISED in arguments:
        threading.Thread(target=end_with_supervisor, name="supervisor", daemon=True).start()
    with alone(folder) as is_alone:
        if not is_alone:
            logger.error("another runner is still at work in %s", folder.path)
            return NOT_ALONE
        try:
            outcome = carry_out(folder)
        except TakenOver:
            logger.warning("another attempt has taken this run over")
            return NOT_ALONE
        if is_first_process():
            folder.write_outcome(outcome)
    return 0 if outcome.state == DONE else 1


def carry_out(folder: RunFolder) -> Outcome:
    """Raises TakenOver; everything else that can happen is an outcome."""
    try:
        facts = run_method(folder)
    except TakenOver:
        raise
    except RunCancelled:
        return Outcome(CANCELLED)
    except BaseException as error:
        logger.exception("the run failed")
        return failure(error)
    return Outcome(DONE, facts=facts)


def run_method(folder: RunFolder) -> Mapping[str, Any]:
    """What the method has to say of itself once it is done."""
    config = folder.config()
    configuration = METHODS[config["method"]].from_dict(config["configuration"])
    if isinstance(configuration, copying.Copy):
        copying.run(folder, configuration)
        return {}
    # Only now, and only here, PyTorch may be loaded.
    return import_module("modeling.training").run(folder, configuration) or {}


def failure(error: BaseException) -> Outcome:
    if isinstance(error, RunFailure):
        return Outcome(FAILED, error.reason, error.detail)
    if isinstance(error, BadConfiguration):
        return Outcome(FAILED, Reason.BAD_CONFIGURATION, ", ".join(error.problems))
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return Outcome(FAILED, Reason.OUT_OF_MEMORY)
    if is_disk_full(error):
        return Outcome(FAILED, Reason.DISK_FULL)
    if isinstance(error, ModuleNotFoundError) and error.name in GPU_LIBRARIES:
        return Outcome(FAILED, Reason.NO_TORCH)
    return Outcome(FAILED, Reason.UNEXPECTED)


def is_disk_full(error: BaseException) -> bool:
    """Libraries wrap what the system said."""
    seen: BaseException | None = error
    while seen is not None:
        full = isinstance(seen, OSError) and seen.errno in (errno.ENOSPC, errno.EDQUOT)
        if full or os.strerror(errno.ENOSPC) in str(seen):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def end_with_supervisor() -> None:
    """Wait for the other end to close; then end, with all that was started here."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


def is_first_process() -> bool:
    """Of several that `accelerate launch` starts, one a GPU."""
    return os.environ.get("RANK", "0") == "0"


@contextmanager
def alone(folder: RunFolder) -> Iterator[bool]:
    """Whether no other runner is in the folder, after some patience; a lock goes with its holder.
    Of several processes of one run the first holds it."""
    if not is_first_process():
        yield True
        return
    with (folder.path / "lock").open("w") as file:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (held := try_lock(file.fileno())) and time.monotonic() < deadline:
            time.sleep(0.1)
        yield held


def try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
