"""Whether the process answers (/healthz), whether it can work (/readyz), its figures (/metrics).

Answered before any other middleware: probes inside a network of containers name no host of the
site, speak plain HTTP and have no session.
"""

import logging
from collections.abc import Callable

import redis
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.urls import ResolverMatch

from config.metrics import page as metrics
from config.rewritten import is_newer, migrations_on_disk, what_is_lacking

logger = logging.getLogger(__name__)


class HealthMiddleware:
    """Security: anyone may ask how it is, which says what is missing in one word each and no more;
    figures are for who has their token."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = ANSWERS.get(request.path_info)
        if answer is None:
            return self.get_response(request)
        # What the log says of it when it is refused.
        request.resolver_match = ResolverMatch(answer, (), {}, route=request.path_info[1:])
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        response = answer(request)
        response["Cache-Control"] = "no-store"
        return response


def is_alive(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


def is_ready(request: HttpRequest) -> HttpResponse:
    if missing := what_is_missing():
        return JsonResponse({"status": "unavailable", "missing": missing}, status=503)
    return JsonResponse({"status": "ok"})


ANSWERS: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": is_alive,
    "/readyz": is_ready,
    "/metrics": metrics.answer,
}


def what_is_missing() -> list[str]:
    """Return those of database, migrations, version, broker that this process lacks now."""
    try:
        applied = frozenset(MigrationRecorder(connection).applied_migrations())
        is_behind = migrations_on_disk() - applied or what_is_lacking(applied)
        missing = ["migrations"] if is_behind else []
        missing += ["version"] if any(map(is_newer, applied)) else []
    except Error as error:
        logger.warning("not ready: the database does not answer (%s)", type(error).__name__)
        missing = ["database"]
    return missing if broker_answers() else [*missing, "broker"]


def broker_answers() -> bool:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, **settings.REDIS_PATIENCE) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError, ValueError) as error:
        logger.warning("not ready: the broker does not answer (%s)", type(error).__name__)
        return False
