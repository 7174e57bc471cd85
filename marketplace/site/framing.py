"""Pages that hold a requester's page in a frame, and the answer that is itself shown in one.

The frame is not sandboxed. Requesters' pages are on other sites, so they cannot reach ours, and
browsers let a frame leave its page only on a click; a sandbox that still lets pages written for
MTurk work (scripts, forms, popups, storage) would add nothing to that.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from marketplace.frames import submit_origin
from marketplace.questions import ExternalQuestion

# What a policy may contain: anything else in a requester's address could add directives to it.
SAFE_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")


class PolicyResponse(HttpResponse):
    """A page with directives of its own in the content security policy."""

    def __init__(self, content: str, *, csp_overrides: dict[str, str], status: int = 200) -> None:
        super().__init__(content, status=status)
        self.csp_overrides = csp_overrides


def origin_of(url: str) -> str:
    """Scheme, host and port as a browser compares them; "" when they cannot go into a policy."""
    parts = urlsplit(url)
    try:
        host = (parts.hostname or "").encode("idna").decode()
        port = parts.port
    except ValueError:
        return ""
    host = f"[{host}]" if ":" in host else host
    if parts.scheme not in ("http", "https") or not SAFE_HOST.fullmatch(host):
        return ""
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def render_with_frame(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    frame: ExternalQuestion | None,
    status: int = 200,
) -> HttpResponse:
    """A page that may show the requester's page in a frame, and the answer page after it."""
    origin = origin_of(frame.url) if frame else ""
    content = render_to_string(
        template,
        {
            **context,
            "frame": frame,
            "frame_origin": origin,
            "submit_origin": submit_origin(),
        },
        request,
    )
    sources = f"{origin} 'self' {submit_origin()}" if frame and origin else "'none'"
    return PolicyResponse(content, csp_overrides={"frame-src": sources}, status=status)
