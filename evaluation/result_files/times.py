"""Times as the marketplace wrote them: “Sat Nov 26 15:01:24 PST 2022”."""

from datetime import UTC, datetime, timedelta, timezone

# Hours from Greenwich, of the zones in which its sites wrote times.
ZONES = {
    **{"UTC": 0, "GMT": 0},
    **{"PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4},
}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def read_time(text: str) -> datetime:
    """Raises ValueError, also for an abbreviation of which nobody knows what it means, and for a
    time that no calendar has."""
    _weekday, month, day, clock, zone, year = text.split()
    hour, minute, second = (int(part) for part in clock.split(":"))
    if zone not in ZONES or month not in MONTHS or len(year) != len("2022"):
        raise ValueError(text)
    here = timezone(timedelta(hours=ZONES[zone]))
    number = MONTHS.index(month) + 1
    try:
        there = datetime(int(year), number, int(day), hour, minute, second, tzinfo=here)
        return there.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(text) from error
