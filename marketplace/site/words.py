"""Lengths of time and sums, in words."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

MINUTE, HOUR, DAY = 60, 3600, 86400


def length_words(length: timedelta) -> str:
    """The two largest units that say something: "45 seconds", "2 min 20 s", "3 days"."""
    seconds = max(0, round(length.total_seconds()))
    if seconds < MINUTE:
        return ngettext("%(n)d second", "%(n)d seconds", seconds) % {"n": seconds}
    if seconds < HOUR:
        return _pair(seconds, MINUTE, _minutes, _("%(large)d min %(small)d s"))
    if seconds < DAY:
        return _pair(seconds // MINUTE, 60, _hours, _("%(large)d h %(small)d min"))
    return _pair(seconds // HOUR, 24, _days, _("%(large)d d %(small)d h"))


def typical_words(length: timedelta) -> str:
    """Rounded as far as a median deserves: to 5 seconds below ten minutes, to minutes above."""
    step = 5 if length < timedelta(minutes=10) else MINUTE
    seconds = max(step, step * round(length.total_seconds() / step))
    return length_words(timedelta(seconds=seconds))


def usd(amount: Decimal) -> str:
    sign = "−" if amount < 0 else ""
    return f"{sign}${number_format(abs(amount), decimal_pos=2, use_l10n=True, force_grouping=True)}"


def hourly_usd(reward_usd: Decimal, length: timedelta) -> Decimal:
    """What `reward_usd` for each `length` comes to in an hour."""
    return (reward_usd * HOUR / Decimal(max(length.total_seconds(), 1))).quantize(Decimal("0.01"))


def _pair(amount: int, base: int, alone: Callable[[int], str], both: str) -> str:
    large, small = divmod(amount, base)
    return both % {"large": large, "small": small} if small else alone(large)


def _minutes(n: int) -> str:
    return ngettext("%(n)d minute", "%(n)d minutes", n) % {"n": n}


def _hours(n: int) -> str:
    return ngettext("%(n)d hour", "%(n)d hours", n) % {"n": n}


def _days(n: int) -> str:
    return ngettext("%(n)d day", "%(n)d days", n) % {"n": n}
