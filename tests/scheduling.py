"""Which tests stay together in one process, and which begin first."""

from typing import Any

from xdist.scheduler import LoadScopeScheduling

# What starts whole sites or browsers, the longest first: at the end of a run, a long module would
# keep one process while the others have nothing left.
LONG = (
    "tests/scenes/",
    "tests/chaos/",
    "tests/e2e/",
    "tests/config/",
    "tests/modeling/test_training",
)
# All of them look at one walk over every address.
OF_ONE_WALK = (
    "tests/everywhere/test_framing_and_policy.py",
    "tests/everywhere/test_pages_are_not_kept.py",
    "tests/everywhere/test_text_stays_text.py",
)
# PyTorch takes seconds to load: one process is enough.
WITH_TORCH = "tests/modeling/test_training"


def place_of(nodeid: str) -> int:
    """Of a test in the order of a run; tests of one place keep theirs."""
    return next((n for n, folder in enumerate(LONG) if nodeid.startswith(folder)), len(LONG))


class ByModule(LoadScopeScheduling):  # type: ignore[misc]
    def __init__(self, config: Any, log: Any = None) -> None:
        super().__init__(config, log)
        # They come in the order in which they should begin.
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        if module.startswith(WITH_TORCH):
            return WITH_TORCH
        return OF_ONE_WALK[0] if module in OF_ONE_WALK else module
