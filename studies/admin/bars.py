"""Bars and columns as numbers for a template to draw: no JavaScript, no library."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

HOUR = timedelta(hours=1)
WIDTH, HEIGHT = 720, 120


@dataclass(frozen=True)
class Column:
    at: datetime
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class HourChart:
    """Columns of counts, one for every hour of the window, empty hours included."""

    columns: list[Column]
    highest: int
    total: int
    since: datetime
    until: datetime
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def hours(self) -> int:
        return len(self.columns)

    @property
    def busy(self) -> list[Column]:
        return [column for column in self.columns if column.count]


def hour_chart(
    per_hour: Sequence[tuple[datetime, int]], *, until: datetime, max_hours: int = 48
) -> HourChart | None:
    """The last `max_hours` hours up to `until`; fewer when the first count is younger.

    None when nothing falls into them. At least twelve hours are drawn, so that a round of one hour
    is not one fat column.
    """
    end = until.replace(minute=0, second=0, microsecond=0)
    counts = {at: count for at, count in per_hour if end - at < max_hours * HOUR and at <= end}
    if not counts:
        return None
    hours = max(12, int((end - min(counts)) / HOUR) + 1)
    start = end - (hours - 1) * HOUR
    highest = max(counts.values())
    step = WIDTH / hours
    columns = []
    for place in range(hours):
        at = start + place * HOUR
        count = counts.get(at, 0)
        height = round(HEIGHT * count / highest, 2)
        columns.append(
            Column(
                at=at,
                count=count,
                x=round(place * step + step * 0.12, 2),
                y=round(HEIGHT - height, 2),
                width=round(step * 0.76, 2),
                height=height,
            )
        )
    return HourChart(
        columns=columns, highest=highest, total=sum(counts.values()), since=start, until=end + HOUR
    )


@dataclass(frozen=True)
class Part:
    name: str
    count: int
    percent: int
    style: str

    @property
    def weight(self) -> str:
        return str(self.count)


def parts(named: Sequence[tuple[str, int, str]]) -> list[Part]:
    """(name, count, style) with each one's share of the whole in percent."""
    whole = sum(count for _name, count, _style in named)
    return [
        Part(name, count, round(100 * count / whole) if whole else 0, style)
        for name, count, style in named
    ]
