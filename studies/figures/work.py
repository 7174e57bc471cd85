"""What a study's rows say of the work done: how much, when, and what it paid."""

from datetime import UTC, date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.db.models import Count, F, Sum
from django.db.models.functions import TruncDay
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.figures.figure import Figure, Shown, Tile, shows
from studies.models import Response, ResponseState, Round, Study, Task
from studies.numbers import rounded
from studies.services.estimates import hourly_pay
from studies.services.kept_figures import counted
from studies.services.round_figures import TIME_TAKEN, Percentile
from studies.services.study_figures import kept_money_of

QUARTILES = (0.25, 0.5, 0.75)
FEWEST_DAYS = 14


@shows
def work_of(study: Study) -> Shown:
    rounds = list(study.rounds.filter(past=False).order_by("number"))
    days = counted(f"study-days:{study.export_salt}", partial(_days, study)).value
    pay = counted(f"study-pay:{study.export_salt}", partial(_pay, study, rounds)).value
    return Shown(
        tiles=[_collected(study, days), _spent(study), _hourly(pay)],
        figures=[_submissions(days), _hourly_pay(pay)],
    )


def _confirmed(study: Study) -> Any:
    return Response.objects.filter(
        assignment__task__round__study=study,
        assignment__task__round__past=False,
        state=ResponseState.CONFIRMED,
    )


def _days(study: Study) -> list[dict[str, Any]]:
    """Confirmed responses of each day with any, by the clock of Greenwich."""
    day = TruncDay("submitted_at", tzinfo=UTC)
    per_day = _confirmed(study).annotate(day=day).values("day")
    counts = per_day.annotate(count=Count("pk")).order_by("day").values_list("day", "count")
    return [{"day": day.date().isoformat(), "responses": count} for day, count in counts]


def _pay(study: Study, rounds: list[Round]) -> list[dict[str, Any]]:
    """Hourly pay of each round with responses: US dollars at the quartiles of the time taken."""
    quartiles = {f"q{place}": Percentile(TIME_TAKEN, at) for place, at in enumerate(QUARTILES)}
    per_round = _confirmed(study).filter(assignment__participant__isnull=False)
    taken = per_round.values(number=F("assignment__task__round__number")).annotate(
        count=Count("pk"), **quartiles
    )
    times = {row["number"]: row for row in taken.order_by("number")}
    return [_paid(round, times[round.number]) for round in rounds if round.number in times]


def _paid(round: Round, row: dict[str, Any]) -> dict[str, Any]:
    slow, middle, fast = (hourly_pay(round.reward_usd, row[f"q{place}"]) for place in (2, 1, 0))
    return {
        "round": _("Round %(number)s") % {"number": round.number},
        "responses": row["count"],
        "low": _dollars(slow),
        "median": _dollars(middle),
        "high": _dollars(fast),
    }


def _dollars(usd: Decimal | None) -> float | None:
    return None if usd is None else float(usd)


def _collected(study: Study, days: list[dict[str, Any]]) -> Tile:
    tasks = Task.objects.filter(round__study=study, round__past=False)
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


def _hourly(pay: list[dict[str, Any]]) -> Tile:
    latest = next((row for row in reversed(pay) if row["median"] is not None), None)
    if latest is None:
        return Tile(_("Median hourly pay"), "–", _("known with the first response"), place=3)
    paid = f"${rounded(latest['median'], 2)}"
    return Tile(_("Median hourly pay"), paid, latest["round"], place=3)


def _submissions(days: list[dict[str, Any]]) -> Figure:
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


def _by_day(days: list[dict[str, Any]]) -> dict[str, Any]:
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


def _hourly_pay(pay: list[dict[str, Any]]) -> Figure:
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


def _quartiles() -> list[dict[str, Any]]:
    y = {"field": "round", "type": "nominal", "title": None, "sort": None}
    dollars = {
        "type": "quantitative",
        "title": _("US dollars an hour"),
        "axis": {"format": "$.2f", "tickCount": 6},
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
            "encoding": median | {"text": {"field": "median", "format": "$.2f"}},
        },
    ]
