"""Writes down what staff do: in the admin, at sign-in, on the command line."""

import getpass
import os
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import AbstractUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.messages import get_messages
from django.core.exceptions import PermissionDenied
from django.core.management import get_commands
from django.db import Error, connection, transaction
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from config.models import AuditEntry, Origin
from studies import log_context
from studies.log_context import AUDIT_DETAIL

ADMIN, API = "/admin/", "/api/"
SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
MOST_NAMED, MOST_TARGET = 100, 300
# Commands of Django's that can change what is in the database.
DJANGO_COMMANDS = {"changepassword", "createsuperuser", "dbshell", "flush", "loaddata", "shell"}
OUR_APPS = {"annotation", "config", "evaluation", "marketplace", "modeling", "studies"}


def record(
    *,
    origin: Origin,
    actor: str,
    action: str,
    actor_pk: int | None = None,
    address: str | None = None,
    target: str = "",
    detail: list[str] | None = None,
) -> AuditEntry:
    return AuditEntry.objects.create(
        origin=origin,
        actor=actor[:150],
        actor_pk=actor_pk,
        address=address,
        action=action[:100],
        target=_storable(target)[:MOST_TARGET],
        detail=[_storable(line) for line in detail or []],
        request_id=log_context.request_id.get(),
    )


def _storable(text: str) -> str:
    """PostgreSQL keeps no NUL, and a visitor may post one."""
    return text.replace("\0", "")


class AuditMiddleware:
    """One entry for each change in the admin, committed together with it.

    A change answers by leading on (3xx); pages that ask again, refuse or fail changed nothing. A
    request that fails is rolled back. Field by field, Django's own log says what changed; its
    lines become the entry's details, and so does what the person was warned of: that a button
    could do nothing, say. Nothing else of what was posted is kept.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in SAFE_METHODS or not request.path_info.startswith((ADMIN, API)):
            return self.get_response(request)
        if request.path_info.startswith(API):
            return self._through_the_api(request)
        user = request.user
        if not isinstance(user, AbstractUser):
            return self.get_response(request)
        began = timezone.now()
        with transaction.atomic():
            response = self.get_response(request)
            if response.status_code >= 500:
                transaction.set_rollback(True)
            elif _leads_on(response) and user.is_staff and not _is_session(request):
                _record_change(request, user, began, _warnings(request))
        return response

    def _through_the_api(self, request: HttpRequest) -> HttpResponse:
        """Who asks is known only behind the view, which reads the token."""
        with transaction.atomic():
            response = self.get_response(request)
            if response.status_code >= 400:
                transaction.set_rollback(True)
            elif isinstance(request.user, AbstractUser):
                match = request.resolver_match
                record(
                    origin=Origin.API,
                    actor=request.user.get_username(),
                    actor_pk=request.user.pk,
                    address=address_of(request),
                    action=match.url_name or match.route if match else "",
                    target=", ".join(map(str, match.kwargs.values())) if match else "",
                    detail=getattr(request, AUDIT_DETAIL, []),
                )
        return response


def _leads_on(response: HttpResponse) -> bool:
    return 300 <= response.status_code < 400 or "HX-Redirect" in response


def _is_session(request: HttpRequest) -> bool:
    """Signing in and out is recorded as such, wherever it happens."""
    match = request.resolver_match
    return match is not None and match.url_name in {"login", "logout"}


def _warnings(request: HttpRequest) -> list[str]:
    """What this request warned of. Good news is left out: it may hold a secret, shown once.

    Reading messages the public way takes them from the page that is to show them.
    """
    queued = getattr(get_messages(request), "_queued_messages", [])
    return [f"answered: {message}" for message in queued if message.level >= messages.WARNING]


def _record_change(
    request: HttpRequest, user: AbstractUser, began: datetime, warnings: list[str]
) -> None:
    match = request.resolver_match
    lines = LogEntry.objects.filter(user=user.pk, action_time__gte=began).select_related(
        "content_type"
    )[:MOST_NAMED]
    chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
    named = [_name_of(line) for line in lines]
    kwargs = match.kwargs.values() if match else []
    target = named[0] if len(named) == 1 else ", ".join([*map(str, kwargs), *chosen])
    detail = [
        f"{name}: {line.get_change_message()}" for name, line in zip(named, lines, strict=True)
    ]
    if len(target) > MOST_TARGET:
        detail.append(f"all of them: {target}")
    if request.POST.get("select_across") == "1":
        detail.append(f"all that the filters show: {request.META['QUERY_STRING'] or 'no filter'}")
    what = [match.url_name or match.route if match else "", request.POST.get("action", "")]
    record(
        origin=Origin.ADMIN,
        actor=user.get_username(),
        actor_pk=user.pk,
        address=address_of(request),
        action=" ".join(filter(None, what)),
        target=target,
        detail=[*detail, *warnings],
    )


def _name_of(line: LogEntry) -> str:
    noun = line.content_type.name if line.content_type else ""
    return f"{noun} {line.object_id} “{line.object_repr}”".strip()


def address_of(request: HttpRequest) -> str | None:
    """Return the visitor's address, with as many proxies trusted as FABULA_PROXY_COUNT says.

    A server that listens on a socket file has none, unless its proxy tells it.
    """
    try:
        address: str = get_adapter(request).get_client_ip(request)
    except PermissionDenied:
        return None
    return address


@receiver(user_logged_in)
def record_sign_in(request: HttpRequest, user: AbstractUser, **_: Any) -> None:
    _record_session(request, user, "signed in")


@receiver(user_logged_out)
def record_sign_out(request: HttpRequest, user: AbstractUser | None, **_: Any) -> None:
    if user is not None:
        _record_session(request, user, "signed out")


def _record_session(request: HttpRequest, user: AbstractUser, action: str) -> None:
    # A program that calls `login` by itself has a request without a method.
    if user.is_staff and request.method:
        record(
            origin=Origin.SIGN_IN,
            actor=user.get_username(),
            actor_pk=user.pk,
            address=address_of(request),
            action=action,
        )


def record_command(arguments: list[str], *, outcome: str) -> None:
    """Write a command of ours, or one of Django's that can change rows, into the log.

    A database without our tables has nothing to record and nowhere to record it.
    """
    name, *rest = arguments
    owner = get_commands().get(name)
    app = owner if isinstance(owner, str) else getattr(owner, "__module__", "")
    if app not in OUR_APPS and name not in DJANGO_COMMANDS:
        return
    try:
        if AuditEntry._meta.db_table not in connection.introspection.table_names():
            return
        record(
            origin=Origin.COMMAND,
            actor=_system_account(),
            action=f"manage.py {name}",
            # The text of a shell's command may hold anything.
            target="" if name == "shell" else " ".join(rest),
            detail=[outcome] if outcome else [],
        )
    except Error as error:
        print(f"This command is not in the audit log: {type(error).__name__}.", file=sys.stderr)


def _system_account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())
