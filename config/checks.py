"""What `manage.py check` says about the settings, before a worker or a researcher meets it."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.http.request import split_domain_port, validate_host

from config.unmigrated import why_never_fit

PLACEHOLDER = "change-me"
MARKETPLACE_KEYS = ("MTURK_ACCESS_KEY_ID", "MTURK_SECRET_ACCESS_KEY", "MTURK_SIGNING_SECRET")
SITES = ("TASK_SITE_URL", "WORKER_SITE_URL")
SHORTEST_TOKEN = 20


@register(Tags.security)
def check_public_site(**_: Any) -> list[CheckMessage]:
    """A site on HTTPS has a secret key of its own and gives out HTTPS addresses."""
    return [*_secret_key(), *_addresses()] if settings.HTTPS else []


@register(Tags.database)
def check_database(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Asked before each `migrate`."""
    if not databases:
        return []
    try:
        applied = frozenset(MigrationRecorder(connection).applied_migrations())
        reason = why_never_fit(applied)
    except DatabaseError:
        return []
    return [Error(reason, id="fabula.E007")] if reason else []


@register(Tags.security, deploy=True)
def check_secret_key(**_: Any) -> list[CheckMessage]:
    # On HTTPS `check_public_site` has said so already.
    return [] if settings.HTTPS else _secret_key()


@register(Tags.security, deploy=True)
def check_debug(**_: Any) -> list[CheckMessage]:
    if not (settings.HTTPS and settings.DEBUG):
        return []
    return [
        Error(
            "FABULA_DEBUG is on, and so is FABULA_HTTPS: visitors see the inside of every error.",
            hint="Leave FABULA_DEBUG out, or set it to False. What went wrong stands in the log.",
            id="fabula.E004",
        )
    ]


@register(deploy=True)
def check_hosts(**_: Any) -> list[CheckMessage]:
    """Each site answers by the name that is given out for it."""
    hosts = {name: split_domain_port(urlsplit(getattr(settings, name)).netloc)[0] for name in SITES}
    return [
        Error(
            f"FABULA_{name} is {getattr(settings, name)}, and FABULA_ALLOWED_HOSTS does not list "
            "its host.",
            hint="Add it there, without https:// and port: every page at a name that is not "
            "listed answers 400.",
            id="fabula.E005",
        )
        for name, host in hosts.items()
        if not validate_host(host, settings.ALLOWED_HOSTS)
    ]


@register(deploy=True)
def check_folders(**_: Any) -> list[CheckMessage]:
    """Each can be written to, or made, by who asks."""
    folders = {"FABULA_VAR": settings.VAR_DIR, "FABULA_RUNS_DIR": settings.RUNS_DIR}
    return [
        Error(
            f"{name} is {folder}, which this account cannot use as a folder of its own.",
            hint="Name a folder that it can write to, or let it: uploads, archives and runs are "
            "kept there.",
            id="fabula.E008",
        )
        for name, folder in folders.items()
        if not _can_be_used(folder)
    ]


@register(Tags.security, deploy=True)
def check_metrics_token(**_: Any) -> list[CheckMessage]:
    token = settings.METRICS_TOKEN
    if not token or (len(token) >= SHORTEST_TOKEN and not token.startswith(PLACEHOLDER)):
        return []
    return [
        Error(
            "FABULA_METRICS_TOKEN can be guessed.",
            hint="Make it 20 random characters or more, or leave it empty: then there are no "
            "figures at /metrics.",
            id="fabula.E003",
        )
    ]


@register(Tags.security, deploy=True)
def check_notification_hosts(**_: Any) -> list[CheckMessage]:
    """Requesters choose where notifications are posted to: on a public site, not to itself."""
    own = sorted(
        set(settings.LOOPBACK_HOSTS) & set(settings.MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS)
    )
    if not (settings.HTTPS and own):
        return []
    return [
        Warning(
            f"Requesters can have this server post to itself ({', '.join(own)}).",
            hint="Leave MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS unset, or list only the private "
            "hosts that notifications must reach.",
            id="fabula.W002",
        )
    ]


@register(deploy=True)
def check_marketplace_keys(**_: Any) -> list[CheckMessage]:
    missing = [name for name in MARKETPLACE_KEYS if not getattr(settings, name)]
    if not missing:
        return []
    return [
        Warning(
            f"Rounds cannot be published: {', '.join(missing)} {_is_or_are(missing)} not set.",
            hint="`manage.py create_requester NAME --balance USD` prints all three.",
            id="fabula.W001",
        )
    ]


def _secret_key() -> list[CheckMessage]:
    if settings.DEBUG and not settings.HTTPS:
        return []
    messages: list[CheckMessage] = []
    if _is_known(settings.SECRET_KEY):
        messages += [
            Error(
                "The secret key is one that everybody knows or can guess.",
                hint="Set FABULA_SECRET_KEY to at least 50 random characters: "
                "python -c 'import secrets; print(secrets.token_urlsafe(48))'",
                id="fabula.E001",
            )
        ]
    if any(map(_is_known, settings.SECRET_KEY_FALLBACKS)):
        messages += [
            Error(
                "A former secret key that still counts is one that everybody knows or can guess.",
                hint="Take it out of FABULA_SECRET_KEY_FALLBACKS: who knows it can sign in as any "
                "worker.",
                id="fabula.E006",
            )
        ]
    return messages


def _can_be_used(folder: Path) -> bool:
    try:
        there = next(place for place in (folder, *folder.parents) if place.exists())
    except OSError:
        return False
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _is_known(key: str) -> bool:
    return (
        key == settings.DEVELOPMENT_SECRET_KEY
        or key.startswith(PLACEHOLDER)
        or len(key) < SHORTEST_TOKEN
    )


def _addresses() -> list[CheckMessage]:
    return [
        Error(
            f"FABULA_{name} is {getattr(settings, name)}, but FABULA_HTTPS is on.",
            hint="The marketplace opens task pages by https:// only.",
            id="fabula.E002",
        )
        for name in SITES
        if not getattr(settings, name).startswith("https://")
    ]


def _is_or_are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
