"""The content security policy: strict on our own pages, the admin's own on the admin's."""

from collections.abc import Callable
from functools import lru_cache

from django.http import HttpRequest, HttpResponse

STRICT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
# The admin's Alpine evaluates expressions, and unfold sets inline styles.
ADMIN = STRICT | {
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
}


def policy(directives: dict[str, str]) -> str:
    return "; ".join(f"{name} {value}" for name, value in directives.items())


class ContentSecurityPolicyMiddleware:
    """Add the policy of the page's area; a view may set `response.csp_overrides` (directives)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "Content-Security-Policy" not in response:
            overrides: dict[str, str] = getattr(response, "csp_overrides", {})
            is_admin = request.path.startswith("/admin/")
            response["Content-Security-Policy"] = _policy_of(is_admin, tuple(overrides.items()))
        return response


@lru_cache(200)
def _policy_of(is_admin: bool, overrides: tuple[tuple[str, str], ...]) -> str:
    return policy((ADMIN if is_admin else STRICT) | dict(overrides))
