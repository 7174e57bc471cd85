"""Signing in: with a user name and password (allauth counts the attempts) or by personal link."""

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.views import LoginView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from redis.exceptions import RedisError

from marketplace.models import Worker
from marketplace.site.access import current_worker
from marketplace.site.links import LinkNotUsable, worker_of_link
from marketplace.site.way_back import (
    forget_way_back,
    has_arrived,
    is_local,
    keep_way_back,
    way_back,
)

logger = logging.getLogger(__name__)

BACKEND = "marketplace.site.backend.AccountBackend"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """allauth in our words: closed unless opened by a setting, and no redirects off this site."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": gettext_lazy(
            "This user name and password do not go together. Check both and try again."
        ),
        "too_many_login_attempts": gettext_lazy(
            "Too many tries with this user name. Wait five minutes, or use your personal link."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.MARKETPLACE_OPEN_SIGN_UP)

    def is_safe_url(self, url: str | None) -> bool:
        return is_local(url)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing: the page that follows shows that it worked."""


class SignIn(LoginView):  # type: ignore[misc]
    """The sign-in page, which keeps `next` for those who come in by their personal link.

    Security: anyone; attempts are counted by address and by user name. Where the counters cannot
    be read nobody signs in with a password (503); personal links work, and so does who is in.
    Whoever comes from an assignment's address, which nobody can guess, is told whether its answers
    are in, and nothing else of it.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            answer: HttpResponse = super().dispatch(request, *args, **kwargs)
        except RedisError as error:
            logger.warning("sign-in attempts cannot be counted: %s", error)
            away = _("Signing in with a password does not work for the moment.")
            messages.error(request, f"{away} {_('Try again in a minute.')}")
            form = self.get_form_class()(request=request)
            context = self.get_context_data(form=form)
            return render(request, self.template_name, context, status=503)
        if request.method == "GET":
            keep_way_back(request, answer)
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {
            "open_sign_up": settings.MARKETPLACE_OPEN_SIGN_UP,
            "has_arrived": has_arrived(self.request.GET.get("next", "")),
        }


@never_cache
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in by personal link: GET says as whom, POST does it and leads where one wanted to go.

    Security: whoever has the link. A withdrawn or altered link, a closed account and the account
    of someone on the staff are refused (404) with what to do. Opening the link alone signs nobody
    in, so previews of it in mail or chat do nothing.
    """
    try:
        worker = worker_of_link(token)
    except LinkNotUsable as refusal:
        return render(request, "worker/link_refused.html", {"reason": refusal.message}, status=404)
    here = current_worker(request)
    if request.method != "POST":
        return render(request, "worker/enter.html", {"worker": worker, "here": here})
    sign_in(request, worker)
    answer = redirect(way_back(request, worker))
    forget_way_back(answer)
    return answer


def sign_in(request: HttpRequest, worker: Worker) -> None:
    """Make this browser the worker's; the session gets a new key."""
    if worker.user is None:
        raise ValueError("The worker has no account to sign in with.")
    login(request, worker.user, backend=BACKEND)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Security: anyone; it only ends the browser's own session."""
    logout(request)
    messages.success(request, _("You are signed out."))
    return redirect("worker-sign-in")
