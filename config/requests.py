"""What every request gets: an id, a line in the log, a place in the figures, a look at its text."""

import logging
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from django.core.exceptions import BadRequest
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.views.defaults import bad_request, server_error

from config.logs import route_of
from config.metrics.steps import observe
from studies import log_context
from studies.api.problems import AWAY, say_away, say_failed

logger = logging.getLogger("fabula.request")

HEADER = "X-Request-ID"
IN_META = "HTTP_X_REQUEST_ID"
# The same for clients of AWS: boto3 puts it into ResponseMetadata.
HEADER_OF_AWS = "x-amzn-RequestId"
MTURK = ("/mturk", "/mturk/")
REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
TRY_AGAIN_SECONDS = 10
API = "/api/"


class RequestIdMiddleware:
    """Takes the id that a proxy gave the request, or makes one, and repeats it in the answer.

    It stays on the request: Django says what was refused when all middleware is through.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.META.get(IN_META, "")
        own = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(16)
        setattr(request, log_context.REQUEST_ID, own)
        token = log_context.request_id.set(own)
        try:
            response = self.get_response(request)
        finally:
            log_context.request_id.reset(token)
        # A file is read by the server itself, and nothing is said meanwhile.
        if isinstance(response, StreamingHttpResponse) and not isinstance(response, FileResponse):
            parts = cast(Iterable[bytes], response.streaming_content)
            response.streaming_content = _said_with_its_id(request, own, parts)
        response[HEADER] = own
        if request.path_info in MTURK or "X-Amz-Target" in request.headers:
            response[HEADER_OF_AWS] = own
        return response


def _said_with_its_id(request: HttpRequest, own: str, parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts of an answer that is made while it is sent, when all middleware is through."""
    rest = iter(parts)
    while True:
        token = log_context.request_id.set(own)
        try:
            part = next(rest)
        except StopIteration:
            return
        except Exception:
            # The server says what it was, and knows of no request.
            facts = {"method": request.method, "route": route_of(request)}
            logger.error("%(method)s %(route)s broke off", facts, extra=facts)
            raise
        finally:
            log_context.request_id.reset(token)
        yield part


class RequestMiddleware:
    """Says how the request went, in the log and in the figures."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        facts = {
            "method": request.method,
            "route": route_of(request),
            "status": response.status_code,
            "duration_ms": round(seconds * 1000, 1),
        }
        logger.info("%(method)s %(route)s %(status)s", facts, extra=facts)
        observe(request, response.status_code, seconds)
        if response.status_code == 503:
            response["Retry-After"] = str(TRY_AGAIN_SECONDS)
        return response


def say_what_failed(request: HttpRequest) -> HttpResponse:
    """What an exception is answered with, which is logged elsewhere: 503 while something is away.

    No page of these asks the database for anything. A program that uses the API gets no page.
    """
    away = isinstance(sys.exception(), AWAY)
    if request.path_info.startswith(API):
        return say_away() if away else say_failed()
    if away:
        return HttpResponse(render_to_string("503.html"), status=503)
    return server_error(request)


class StorableTextMiddleware:
    """Refuses a NUL in a query or a form: the database can neither keep one nor look for it.

    A view whose answers show in a frame says by `dress` which headers they need for that. Forms
    without a CSRF check hold a worker's writing: their views leave the NUL out and take the rest.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        is_read = request.method == "POST" and not getattr(view, "csrf_exempt", False)
        if "%00" not in request.META["QUERY_STRING"] and not (is_read and _form_holds_nul(request)):
            return None
        dress: Callable[[HttpResponse], HttpResponse] = getattr(view, "dress", lambda plain: plain)
        return dress(bad_request(request, BadRequest("a NUL in the query or the form")))


def _form_holds_nul(request: HttpRequest) -> bool:
    return any("\0" in name or "\0" in "".join(texts) for name, texts in request.POST.lists())
