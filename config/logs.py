"""Lines for the log: text, or one JSON object each, with the ids of the request and the job.

No line carries an address as a visitor sent it: paths hold personal links, queries hold worker ids,
tokens and signatures. A route (`enter/<token>/`) says as much as an administrator needs.
"""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

from studies import log_context

# What our own lines may add to the usual fields, through `extra`.
EXTRA = ("method", "route", "status", "duration_ms", "task", "kind", "state")
# PostgreSQL repeats the values of a refused row in the detail of its message.
VALUES = re.compile(r"^(?:DETAIL|CONTEXT): .*$", flags=re.M)
QUERY = re.compile(r"\?[^\s\"']+")


def route_of(request: Any) -> str:
    """Return the pattern that the address fits, without what the visitor put in it."""
    match = getattr(request, "resolver_match", None)
    return f"/{match.route}" if match else "(unknown address)"


def request_id_of(record: logging.LogRecord) -> str | None:
    """Of the request that the line is about, or in which it is said."""
    request = getattr(record, "request", None)
    return getattr(request, log_context.REQUEST_ID, "") or log_context.request_id.get() or None


class Discretion(logging.Filter):
    """Puts the route in the place of the path in what Django says about a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            paths = {request.path, request.get_full_path(), request.path_info}
            record.args = tuple(
                route_of(request) if argument in paths else argument for argument in record.args
            )
        return True


class TextLines(logging.Formatter):
    """For people: no queries, no values of rows."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return without_values(super().format(record))


class JsonLines(logging.Formatter):
    """For programs: one object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": without_values(record.getMessage()),
            "request_id": request_id_of(record),
            "job_id": log_context.job_id.get(),
        }
        line |= {name: getattr(record, name, None) for name in EXTRA}
        if record.exc_info:
            line["error"] = without_values(self.formatException(record.exc_info))
        return json.dumps(
            {name: value for name, value in line.items() if value is not None},
            ensure_ascii=False,
            default=str,
        )


def without_values(text: str) -> str:
    return QUERY.sub("?…", VALUES.sub("", text))


def logging_settings(*, format: str, level: str) -> dict[str, Any]:
    """Return what Django hands to logging.config.dictConfig."""
    if format not in {"text", "json"}:
        raise ImproperlyConfigured(f"FABULA_LOG_FORMAT is “{format}”; it can be text or json.")
    if level not in logging.getLevelNamesMapping():
        raise ImproperlyConfigured(
            f"FABULA_LOG_LEVEL is “{level}”; it can be DEBUG, INFO, WARNING or ERROR."
        )
    requests = "INFO" if format == "json" else level
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {"()": "config.logs.TextLines"},
            "json": {"()": "config.logs.JsonLines"},
        },
        "filters": {"discretion": {"()": "config.logs.Discretion"}},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": format,
                "filters": ["discretion"],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # Has a handler of its own under DEBUG, which would say everything twice.
            "django": {"handlers": [], "propagate": True},
            "fabula": {"level": requests},
        },
    }
