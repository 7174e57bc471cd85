"""What every request gets: an id, a line in the log, a place in the figures."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config.logs import route_of
from config.metrics.steps import observe
from studies import log_context

logger = logging.getLogger("fabula.request")

HEADER = "X-Request-ID"
REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")


class RequestMiddleware:
    """Takes the id that a proxy gave the request, or makes one; says how the request went."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        own = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        token = log_context.request_id.set(own)
        began = time.perf_counter()
        try:
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
        finally:
            log_context.request_id.reset(token)
        response[HEADER] = own
        return response
