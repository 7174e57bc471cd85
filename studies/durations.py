"""Durations as people write them (45s, 30m, 1h30m, 7d) and as they read them (1 h 30 min)."""

import re
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
PART = re.compile(r"([0-9]{1,9})([dhms])")


class DurationError(ValueError):
    """The text is not a duration; the message says what one looks like."""


def parse_duration(text: str) -> timedelta:
    """Read "45s", "30m", "1h30m" or "7d". Raises DurationError."""
    compact = text.replace(" ", "").lower()
    parts = PART.findall(compact)
    seconds = sum(int(number) * UNITS[unit] for number, unit in parts)
    whole = "".join(number + unit for number, unit in parts)
    if not parts or whole != compact or seconds > timedelta.max.total_seconds():
        raise DurationError(
            _("“%(text)s” is not a duration. Write for example 45s, 30m, 1h30m or 7d.")
            % {"text": text}
        )
    return timedelta(seconds=seconds)


def format_duration(value: timedelta) -> str:
    """The shortest such text: 90 minutes is "1h30m". Parts of a second are dropped."""
    left = int(value.total_seconds())
    parts = []
    for unit, size in UNITS.items():
        number, left = divmod(left, size)
        if number:
            parts.append(f"{number}{unit}")
    return "".join(parts) or "0s"


def say_duration(value: timedelta) -> str:
    """The same for reading: "30 min", "1 h 30 min", "7 days"."""
    days, seconds = divmod(int(value.total_seconds()), UNITS["d"])
    minutes, seconds = divmod(seconds, UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    parts = [
        (days, ngettext("%(n)d day", "%(n)d days", days)),
        (hours, _("%(n)d h")),
        (minutes, _("%(n)d min")),
        (seconds, _("%(n)d s")),
    ]
    return " ".join(words % {"n": n} for n, words in parts if n) or _("%(n)d s") % {"n": 0}
