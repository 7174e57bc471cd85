"""What a study's rows say of the work done: how much, when, and what it paid."""

from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import Sum
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.figures.figure import Figure, Shown, Tile, shows
from studies.models import Round, Study, Task
from studies.numbers import rounded
from studies.services.estimates import hourly_pay
from studies.services.kept_figures import counted
from studies.services.study_figures import kept_money_of

FEWEST_DAYS = 14
Rows = list[dict[str, Any]]


@shows
def work_of(study: Study) -> Shown:
    rounds = list(study.rounds.filter(past=False).order_by("number"))
    days, pay = counted(f"study-work:{study.export_salt}", partial(_work, rounds)).value
    return Shown(
        tiles=[_collected(rounds, days), _spent(study), _hourly(pay)],
        figures=[_submissions(days), _hourly_pay(pay)],
    )


def _work(rounds: list[Round]) -> tuple[Rows, Rows]:
    """Confirmed responses of each day with any, by the clock of Greenwich; and the hourly pay of
    each round with responses of known workers, in US dollars at the quartiles of the time taken."""
    days, times = [], {}
    with connection.cursor() as cursor:
        cursor.execute(WORK, {"rounds": [round.pk for round in rounds]})
        for round_pk, day, count, known, slow, middle, fast in cursor.fetchall():
            if round_pk is None:
                days.append({"day": day.isoformat(), "responses": count})
            elif known:
                times[round_pk] = known, (slow, middle, fast)
    pay = [_paid(round, *times[round.pk]) for round in rounds if round.pk in times]
    return days, pay


# Both from one pass over the responses, for which Django has no words.
WORK = """
    SELECT round_id, day, count(*), count(taken),
           percentile_cont(0.75) WITHIN GROUP (ORDER BY taken),
           percentile_cont(0.50) WITHIN GROUP (ORDER BY taken),
           percentile_cont(0.25) WITHIN GROUP (ORDER BY taken)
    FROM (
        SELECT task.round_id,
               (response.submitted_at AT TIME ZONE 'UTC')::date AS day,
               CASE WHEN assignment.participant_id IS NOT NULL
                    THEN response.submitted_at - assignment.accepted_at
                         + assignment.worked_before END AS taken
        FROM studies_response response
        JOIN studies_assignment assignment ON assignment.id = response.assignment_id
        JOIN studies_task task ON task.id = assignment.task_id
        WHERE task.round_id = ANY(%(rounds)s) AND response.state = 'confirmed'
    ) AS work
    GROUP BY GROUPING SETS ((round_id), (day))
    ORDER BY round_id, day
"""


def _paid(round: Round, count: int, taken: tuple[timedelta, ...]) -> dict[str, Any]:
    low, median, high = (_dollars(hourly_pay(round.reward_usd, time)) for time in taken)
    return {
        "round": _("Round %(number)s") % {"number": round.number},
        "responses": count,
        "low": low,
        "median": median,
        "high": high,
    }


def _dollars(usd: Decimal | None) -> float | None:
    return None if usd is None else float(usd)


def _collected(rounds: list[Round], days: Rows) -> Tile:
    tasks = Task.objects.filter(round__in=rounds)
    wanted = tasks.aggregate(wanted=Sum("overlap", default=0))["wanted"]
    return Tile(
        _("Responses"),
        number_format(sum(day["responses"] for day in days)),
        _("of %(wanted)s wanted") % {"wanted": number_format(wanted)},
    )


def _spent(study: Study) -> Tile:
    money = kept_money_of(study).value
    more = (
        _("no budget set")
        if money.budget_usd is None
        else _("of $%(budget)s") % {"budget": number_format(money.budget_usd, 2)}
    )
    return Tile(_("Spent"), f"${number_format(money.spent_usd, 2)}", more, place=2)


def _hourly(pay: Rows) -> Tile:
    latest = next((row for row in reversed(pay) if row["median"] is not None), None)
    if latest is None:
        return Tile(_("Median hourly pay"), "–", _("known with the first response"), place=3)
    paid = f"${rounded(latest['median'], 2)}"
    return Tile(_("Median hourly pay"), paid, latest["round"], place=3)


def _submissions(days: Rows) -> Figure:
    total = sum(day["responses"] for day in days)
    busiest = max(days, key=lambda day: day["responses"], default=None)
    says = ""
    if busiest is not None:
        says = ngettext(
            "%(total)s response on %(days)s; most came on %(busiest)s: %(most)s.",
            "%(total)s responses on %(days)s; most came on %(busiest)s: %(most)s.",
            total,
        ) % {
            "total": number_format(total),
            "days": ngettext("%(n)s day", "%(n)s days", len(days)) % {"n": len(days)},
            "busiest": date_format(date.fromisoformat(busiest["day"]), "j M Y"),
            "most": number_format(busiest["responses"]),
        }
    return Figure(
        slug="submissions",
        title=_("Responses over time"),
        says=says,
        columns={"day": _("Day (UTC)"), "responses": _("Responses")},
        rows=days,
        chart=_by_day(days),
        empty=_("The first responses appear here."),
    )


def _by_day(days: Rows) -> dict[str, Any]:
    """Columns, over two weeks at least: a single day is not one fat column."""
    axis = {"format": "%-d %b", "grid": False, "tickCount": 6, "labelOverlap": "greedy"}
    axis |= {"labelSeparation": 16, "labelFlush": False}
    x: dict[str, Any] = {"field": "day", "type": "temporal", "title": None, "axis": axis}
    if days:
        last = date.fromisoformat(days[-1]["day"])
        first = min(date.fromisoformat(days[0]["day"]), last - timedelta(days=FEWEST_DAYS - 1))
        x["scale"] = {
            "type": "utc",
            "domain": [first.isoformat(), (last + timedelta(days=1)).isoformat()],
        }
    y = {"field": "responses", "type": "quantitative", "title": _("Responses")}
    return {
        "height": 180,
        "mark": {"type": "bar", "style": "plain"},
        "encoding": {
            "x": x | {"timeUnit": "utcyearmonthdate", "bandPosition": 0},
            "y": y | {"axis": {"tickMinStep": 1, "tickCount": 5}},
        },
    }


def _hourly_pay(pay: Rows) -> Figure:
    return Figure(
        slug="hourly-pay",
        title=_("Hourly pay"),
        says=_(
            "What a round paid an hour: the point at the median time taken, the line for the "
            "middle half of the times."
        ),
        columns={
            "round": _("Round"),
            "responses": _("Responses"),
            "low": _("Lower quartile"),
            "median": _("Median"),
            "high": _("Upper quartile"),
        },
        rows=pay,
        chart={"height": {"step": 34}, "layer": _quartiles()},
        empty=_("Known with the first response."),
    )


def _quartiles() -> Rows:
    y = {"field": "round", "type": "nominal", "title": None, "sort": None}
    dollars = {
        "type": "quantitative",
        "title": _("US dollars an hour"),
        "axis": {"format": "$,.2f", "tickCount": 6, "labelOverlap": "greedy"},
        "scale": {"zero": True},
    }
    median = {"y": y, "x": {"field": "median", **dollars}}
    point = {"type": "point", "style": "state", "filled": True, "opacity": 1, "size": 90}
    return [
        {
            "mark": {"type": "rule", "style": "state", "strokeWidth": 3},
            "encoding": {"y": y, "x": {"field": "low", **dollars}, "x2": {"field": "high"}},
        },
        {"mark": point, "encoding": median},
        {
            "mark": {"type": "text", "dy": -12},
            "encoding": median | {"text": {"field": "median", "format": "$,.2f"}},
        },
    ]
