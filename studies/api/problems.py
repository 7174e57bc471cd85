"""What the API answers when it cannot do what was asked: problem details (RFC 9457)."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import (
    NON_FIELD_ERRORS,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    ValidationError,
)
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.encoding import force_str
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from redis.exceptions import RedisError
from rest_framework import exceptions

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
# What is raised while the database, or what counts tries to sign in, is away.
AWAY = (OperationalError, InterfaceError, RedisError)


class Refused(exceptions.APIException):
    """A service does not do this; the text says why."""

    status_code = 422


@contextmanager
def refusing(*kinds: type[Exception]) -> Iterator[None]:
    """What a service refuses by such an error, whose text is for people, is answered with 422."""
    try:
        yield
    except kinds as refusal:
        raise Refused(str(refusal)) from refusal


@contextmanager
def checking(**called: str) -> Iterator[None]:
    """What a service finds wrong with the fields of a row is answered with 400, under the names
    that the API has for them."""
    try:
        yield
    except ValidationError as error:
        names = {NON_FIELD_ERRORS: "non_field_errors", **called}
        said = {names.get(field, field): words for field, words in error.message_dict.items()}
        raise exceptions.ValidationError(said) from error


def problem(status: int, detail: str, errors: Any = None) -> HttpResponse:
    body = {"type": "about:blank", "status": status, "detail": detail}
    if errors is not None:
        body["errors"] = errors
    return JsonResponse(body, status=status, content_type=CONTENT_TYPE)


def answer_exception(exception: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """None for what nobody foresaw: Django answers and logs it."""
    if isinstance(exception, Http404):
        exception = exceptions.NotFound(_("There is nothing at this address for you."))
    if isinstance(exception, PermissionDenied):
        exception = exceptions.PermissionDenied()
    if isinstance(exception, RequestDataTooBig):
        return problem(413, _("This is more than can be sent."))
    # Nothing of ours goes deeper than what was sent; if it does, the log says where.
    if isinstance(exception, RecursionError):
        logger.warning("A request went too deep", exc_info=exception)
        return problem(400, _("What was sent is nested too deeply."))
    if isinstance(exception, SuspiciousOperation):
        return problem(400, _("Some of what was sent is not right."))
    if isinstance(exception, AWAY):
        return say_away()
    if not isinstance(exception, exceptions.APIException):
        return None
    answer = _answer(exception)
    if header := getattr(exception, "auth_header", ""):
        answer["WWW-Authenticate"] = header
    return answer


def _answer(exception: exceptions.APIException) -> HttpResponse:
    if isinstance(exception, exceptions.ValidationError):
        return problem(400, _("Some of what was sent is not right."), _by_field(exception.detail))
    return problem(exception.status_code, force_str(exception.detail))


def _by_field(detail: Any) -> dict[str, list[str]]:
    """Every sentence under the field that it is about; "" where it is about the whole."""
    if not isinstance(detail, dict):
        return {"": _sentences(detail)}
    return {
        "" if name == "non_field_errors" else str(name): _sentences(said)
        for name, said in detail.items()
    }


def _sentences(said: Any) -> list[str]:
    if isinstance(said, dict):
        return [sentence for inner in said.values() for sentence in _sentences(inner)]
    if isinstance(said, list):
        return [sentence for inner in said for sentence in _sentences(inner)]
    return [str(said)]


def say_away() -> HttpResponse:
    return problem(503, _("This does not work for the moment. Try again in a minute."))


def say_failed() -> HttpResponse:
    return problem(500, _("Something went wrong on our side. It was written down."))


@csrf_exempt
def not_found(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """Security: anybody; for every address under the API's that leads nowhere, by any method."""
    return problem(404, _("There is nothing at this address for you."))


def refuse_text(_page: HttpResponse) -> HttpResponse:
    """In place of the page that refuses a NUL in a query."""
    return problem(400, _("Some of what was sent is not right."))


setattr(not_found, "dress", refuse_text)  # noqa: B010
