"""Have the kernel signal a child when its parent is gone (Linux; elsewhere nothing is asked)."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def die_with_parent(kind: signal.Signals) -> Callable[[], None]:
    """Return a function for `preexec_fn`. It runs after the account was switched, as it must:
    a change of account clears the request."""
    parent = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

    def ask() -> None:
        if libc is not None:
            libc.prctl(PR_SET_PDEATHSIG, int(kind), 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    return ask
