from datetime import UTC, datetime, timedelta

from studies.admin.bars import hour_chart, parts

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_empty_hours_are_drawn_as_gaps() -> None:
    chart = hour_chart([(NOON - 14 * HOUR, 2), (NOON - HOUR, 4)], until=NOON)

    assert chart is not None
    assert chart.hours == 15
    assert [column.count for column in chart.busy] == [2, 4]
    assert chart.columns[1].height == 0


def test_the_highest_column_fills_the_height() -> None:
    chart = hour_chart([(NOON - HOUR, 4), (NOON, 1)], until=NOON)

    assert chart is not None
    assert (chart.columns[-2].height, chart.columns[-2].y) == (chart.height, 0)
    assert chart.columns[-1].height == chart.height / 4


def test_a_single_hour_is_drawn_among_twelve() -> None:
    chart = hour_chart([(NOON, 3)], until=NOON + timedelta(minutes=59))

    assert chart is not None
    assert chart.hours == 12
    assert chart.until == NOON + HOUR


def test_older_hours_are_left_to_the_file() -> None:
    chart = hour_chart([(NOON - 90 * HOUR, 9), (NOON, 1)], until=NOON)

    assert chart is not None
    assert chart.total == 1


def test_nothing_to_draw_is_none() -> None:
    assert hour_chart([], until=NOON) is None
    assert hour_chart([(NOON - 90 * HOUR, 9)], until=NOON) is None


def test_parts_of_nothing_have_no_share() -> None:
    assert [part.percent for part in parts([("a", 0, "x"), ("b", 0, "y")])] == [0, 0]
    assert [part.percent for part in parts([("a", 1, "x"), ("b", 3, "y")])] == [25, 75]
