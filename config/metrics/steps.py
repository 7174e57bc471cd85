"""Counts and times of requests, kept by each web process."""

from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

OK, REFUSED, FAILED = "ok", "refused", "failed"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
NO_ROUTE = "(unknown address)"

OF_THIS_PROCESS = CollectorRegistry()
disable_created_metrics()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Step:
    """One of a worker's steps through a task, and the answer that says that it was done."""

    name: str
    method: str
    done: HTTPStatus


# By the name of the route.
STEPS = {
    "worker-accept": Step("accept", "POST", HTTPStatus.FOUND),
    "task": Step("open", "GET", HTTPStatus.OK),
    "task-draft": Step("draft", "POST", HTTPStatus.OK),
    "task-submit": Step("submit", "POST", HTTPStatus.SEE_OTHER),
    "external-submit": Step("external_submit", "POST", HTTPStatus.OK),
}

_seconds = Histogram(
    "fabula_step_seconds",
    "Time to answer a worker's step through a task.",
    ["step", "outcome"],
    buckets=BUCKETS,
    registry=OF_THIS_PROCESS,
)
_of = {
    (step.name, outcome): _seconds.labels(step.name, outcome)
    for step in STEPS.values()
    for outcome in (OK, REFUSED, FAILED)
}
_failures = Counter(
    "fabula_request_failures",
    "Requests answered with a status of 500 or more.",
    ["route"],
    registry=OF_THIS_PROCESS,
)
_processes = Gauge(
    "fabula_web_processes",
    "Web processes that are alive.",
    multiprocess_mode="livesum",
    registry=OF_THIS_PROCESS,
)


def count_this_process() -> None:
    """Said by each process for itself: a fork begins with counts of its own."""
    _processes.set(1)


count_this_process()


def observe(request: HttpRequest, status: int, seconds: float) -> None:
    """Count an answered request. Labels are names of routes, never what a visitor sent."""
    route = request.resolver_match
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _failures.labels(route.view_name if route else NO_ROUTE).inc()
    step = STEPS.get(route.url_name or "") if route else None
    if step is not None and request.method == step.method:
        _of[step.name, outcome_of(step, status)].observe(seconds)


def outcome_of(step: Step, status: int) -> str:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return FAILED
    return OK if status == step.done else REFUSED
