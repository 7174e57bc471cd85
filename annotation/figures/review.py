"""What a study's page shows of review: how far it is, who is proficient, what went wrong."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Judgement, Pick, ReviewPlan, Standing, Verdict
from annotation.proficiency.standings import WorkerStanding, plan_of, standings_of
from annotation.proficiency.words import say_share
from annotation.review.agreement import expert_agreement
from annotation.review.counted import JUDGED, counted_picks
from annotation.review.outcome import Outcome, Settled
from annotation.review.outcomes import settled_by_contribution
from database.prepared import prebuilt
from studies import task_types
from studies.figures.figure import Figure, Shown, Tile, shows
from studies.models import Study
from studies.numbers import rounded
from studies.task_types import ReviewReason

# The colour never says it alone.
STYLES = {
    Standing.PROFICIENT: "good",
    Standing.NOT_PROFICIENT: "blocked",
    Standing.UNDECIDED: "quiet",
}
SHAPES = {"good": "circle", "blocked": "cross", "quiet": "square"}
# Of more workers each line is a thin one without a name; the rows below name them.
NAMED = 40
PERCENT = {"format": ".0%", "tickCount": 6}


@shows
def review_of(study: Study) -> Shown:
    """Nothing before the study has a review plan."""
    plan = plan_of(study)
    if plan is None:
        return Shown()
    settled = settled_by_contribution(plan)
    workers = standings_of(study, settled)
    return Shown(
        tiles=[_proficient(workers), _agreement(plan)],
        figures=[_progress(plan, settled), _reasons(plan), _standings(plan, workers)],
    )


def _proficient(workers: Sequence[WorkerStanding]) -> Tile:
    counts = Counter(worker.standing for worker in workers)
    more = _("of %(workers)s; %(undecided)s undecided") % {
        "workers": number_format(len(workers)),
        "undecided": number_format(counts[Standing.UNDECIDED]),
    }
    return Tile(_("Proficient workers"), number_format(counts[Standing.PROFICIENT]), more, place=1)


def _agreement(plan: ReviewPlan) -> Tile:
    found = expert_agreement(plan=plan)
    label = _("Agreement of the experts (AC1)")
    if found.ac1.value is None or found.percent.value is None:
        return Tile(label, "–", _("known once two experts judged the same"), place=4)
    more = ngettext(
        "%(percent)s%% alike on %(n)s response",
        "%(percent)s%% alike on %(n)s responses",
        found.contributions,
    ) % {
        "percent": rounded(100 * found.percent.value, 0),
        "n": number_format(found.contributions),
    }
    if found.ac1.ci_low is not None and found.ac1.ci_high is not None:
        low, high = rounded(found.ac1.ci_low, 2), rounded(found.ac1.ci_high, 2)
        more = _("%(low)s to %(high)s; %(more)s") % {"low": low, "high": high, "more": more}
    return Tile(label, rounded(found.ac1.value, 2), more, place=4)


def _progress(plan: ReviewPlan, settled: Mapping[int, Settled]) -> Figure:
    counts = Counter(settled[pk].outcome for pk in _sample(plan=plan.pk) if pk in settled)
    named = {
        Outcome.CORRECT: _("correct"),
        Outcome.REJECTED: _("rejected"),
        Outcome.DISPUTED: _("disputed"),
        Outcome.OPEN: _("to be reviewed"),
    }
    styles = dict(zip(named, ("good", "blocked", "attention", "quiet"), strict=True))
    rows = [
        {"outcome": name, "responses": counts[outcome], "style": styles[outcome]}
        for outcome, name in named.items()
        if counts
    ]
    done = counts[Outcome.CORRECT] + counts[Outcome.REJECTED]
    says = _("%(done)s of %(all)s sampled responses are settled.") % {
        "done": number_format(done),
        "all": number_format(counts.total()),
    }
    return Figure(
        slug="review",
        title=_("Review of the sample"),
        says=says,
        columns={"outcome": _("Outcome"), "responses": _("Responses")},
        rows=rows,
        chart=_bars("outcome", "responses", _("Responses"), styles.values()),
        empty=_("The sample is drawn when the first responses are confirmed."),
    )


@prebuilt
def _sample(*, plan: int) -> QuerySet[Pick, int]:
    return counted_picks(plan).values_list("contribution", flat=True)


def _reasons(plan: ReviewPlan) -> Figure:
    counts = Counter(_faults(plan=plan.pk))
    rows: list[dict[str, Any]] = [
        {"reason": _reason_name(*fault), "verdicts": n, "style": "blocked"}
        for fault, n in sorted(counts.items(), key=_most_often)
    ]
    says = ""
    if rows:
        says = _("Most often: %(reason)s, %(n)s of %(all)s rejections.") % {
            "reason": rows[0]["reason"],
            "n": number_format(rows[0]["verdicts"]),
            "all": number_format(sum(row["verdicts"] for row in rows)),
        }
    return Figure(
        slug="reasons",
        title=_("Reasons for rejection"),
        says=says,
        columns={"reason": _("Reason"), "verdicts": _("Verdicts")},
        rows=rows,
        chart=_bars("reason", "verdicts", _("Verdicts"), ["blocked"]),
        empty=_("Nothing has been rejected."),
    )


Fault = tuple[str, int | None, str]


@prebuilt
def _faults(*, plan: int) -> QuerySet[Verdict, Fault]:
    """Task type, step and reason of each rejection in the rounds under review."""
    rounds = ReviewPlan.rounds.through.objects.filter(reviewplan=plan).values("round")
    rejected = Verdict.objects.filter(
        JUDGED,
        judgement=Judgement.REJECT,
        replaced_at__isnull=True,
        contribution__response__assignment__task__round__in=rounds,
    )
    columns = "contribution__response__task_type", "step", "reason"
    return rejected.order_by().values_list(*columns)


def _most_often(counted: tuple[Fault, int]) -> Any:
    (task_type, step, reason), n = counted
    return -n, math.inf if step is None else step, reason, task_type


def _reason_name(task_type: str, step: int | None, slug: str) -> str:
    """With the step at fault; by its own name where the task type has forgotten it."""
    form = task_types.get(task_type).review
    reasons: tuple[ReviewReason, ...] = form.reasons if form is not None else ()
    name = next((str(one.name) for one in reasons if one.slug == slug), slug)
    label = form.steps.get(step) if form is not None and step is not None else None
    return f"{label}: {name}" if label is not None else name


def _standings(plan: ReviewPlan, workers: Sequence[WorkerStanding]) -> Figure:
    limit = float(plan.max_rejected_share)
    rows = [_worker_row(worker) for worker in workers if worker.evidence.reviewed]
    rows.sort(key=lambda row: (row["rejected"], row["high"], row["worker"]))
    says = _(
        "The share rejected of each worker’s reviewed sample, with its 95%% interval. Circles are "
        "proficient, crosses are not, squares are undecided; at most %(limit)s may be rejected."
    ) % {"limit": say_share(limit)}
    return Figure(
        slug="standings",
        title=_("Standing of the workers"),
        says=says,
        columns={
            "worker": _("Worker"),
            "standing": _("Standing"),
            "rejected": _("Rejected"),
            "low": _("from"),
            "high": _("to"),
            "reviewed": _("Reviewed"),
            "submitted": _("Responses"),
        },
        rows=rows,
        chart=_intervals(limit, named=len(rows) <= NAMED),
        empty=_("Standings show once experts have judged something."),
    )


def _intervals(limit: float, *, named: bool) -> dict[str, Any]:
    """A line for each worker, and one across at the limit."""
    y: dict[str, Any] = {"field": "worker", "type": "nominal", "sort": None, "title": None}
    if not named:
        y["axis"] = None
    x = {
        "type": "quantitative",
        "title": _("Rejected"),
        "axis": PERCENT,
        "scale": {"domain": [0, 1]},
    }
    point = {"filled": True, "opacity": 1, "size": 50 if named else 24}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"x": {"datum": limit, **x}}}
    ]
    for style in STYLES.values():
        only = [{"filter": f"datum.style === '{style}'"}]
        layers += [
            {
                "transform": only,
                "mark": {"type": "rule", "style": style, "strokeWidth": 2},
                "encoding": {"y": y, "x": {"field": "low", **x}, "x2": {"field": "high"}},
            },
            {
                "transform": only,
                "mark": {"type": "point", "style": style, "shape": SHAPES[style], **point},
                "encoding": {"y": y, "x": {"field": "rejected", **x}},
            },
        ]
    return {"height": {"step": 16 if named else 5}, "layer": layers}


def _worker_row(worker: WorkerStanding) -> dict[str, Any]:
    low, high = worker.evidence.interval
    return {
        "worker": worker.participant.pseudonym,
        "standing": str(worker.standing.label),
        "rejected": round(worker.evidence.rejected_share or 0.0, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "reviewed": worker.evidence.reviewed,
        "submitted": worker.evidence.submitted,
        "style": STYLES[worker.standing],
    }


def _bars(name: str, count: str, title: str, styles: Any) -> dict[str, Any]:
    """Horizontal bars in the order of the rows, each with its number."""
    y = {
        "field": name,
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelLimit": 180, "ticks": False, "domain": False},
    }
    # Room for the number behind the longest bar.
    x: dict[str, Any] = {"field": count, "type": "quantitative", "title": title, "axis": None}
    x |= {"scale": {"padding": 36, "nice": False}}
    bars = [
        {
            "transform": [{"filter": f"datum.style === '{style}'"}],
            "mark": {"type": "bar", "style": style},
            "encoding": {"y": y, "x": x},
        }
        for style in styles
    ]
    words = {
        "mark": {"type": "text", "align": "left", "dx": 6},
        "encoding": {"y": y, "x": x, "text": {"field": count, "format": ",d"}},
    }
    return {"height": {"step": 30}, "layer": [*bars, words]}
