"""What PostgreSQL stores neither in a text nor in JSON: NUL, and half of a surrogate pair."""

import re
from typing import Any

REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(value: Any) -> Any:
    """The value with such characters replaced, in lists and in objects and their names, too."""
    if isinstance(value, str):
        return _UNSTORABLE.sub(REPLACEMENT, value) if _UNSTORABLE.search(value) else value
    if isinstance(value, dict):
        return {storable(name): storable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [storable(inner) for inner in value]
    return value
