"""Have the kernel signal a process when its parent is gone (Linux; elsewhere nothing happens)."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def die_with_parent(kind: signal.Signals, *, parent: int) -> Callable[[], None]:
    """Return a function that asks for it, fit for `preexec_fn`.

    There it runs after a change of account, as it must: such a change clears the request.
    """
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

    def ask() -> None:
        if libc is not None:
            libc.prctl(PR_SET_PDEATHSIG, int(kind), 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    return ask
