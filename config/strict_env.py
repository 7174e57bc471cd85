"""The environment: a variable that is empty counts as one that is not set, and one that cannot be
meant is refused by its name. Its value is repeated only where it holds no password."""

import re
from math import isfinite
from typing import Any
from urllib.parse import SplitResult, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

OFF = ("", "false", "off", "n", "no", "0")
DATABASE_SCHEMES = ("postgresql", "postgres", "pgsql", "psql")
BROKER_SCHEMES = ("redis", "rediss", "unix")
ESCAPES = "in a password write @ as %40, / as %2F, : as %3A"
LARGEST = 1_000_000_000
NOTSET = environ.Env.NOTSET


class StrictEnv(environ.Env):  # type: ignore[misc]
    def get_value(self, var: str, *arguments: Any, default: Any = NOTSET, **options: Any) -> Any:
        if default is not NOTSET and not self.ENVIRON.get(var, "").strip():
            return default
        value = super().get_value(var, *arguments, default=default, **options)
        return value.strip() if isinstance(value, str) else value

    def bool(self, var: str, default: Any = NOTSET) -> bool:
        text = str(self.get_value(var, cast=str, default=default)).lower()
        if text not in (*self.BOOLEAN_TRUE_STRINGS, *OFF):
            raise ImproperlyConfigured(f"{var} is “{text}”; it can be True or False.")
        return text not in OFF

    def whole(self, var: str, *, default: int, least: int = 0, most: int = LARGEST) -> int:
        text = self.str(var, default=str(default))
        if not re.fullmatch(r"\d+", text, re.ASCII) or not least <= int(text) <= most:
            raise ImproperlyConfigured(
                f"{var} is “{text}”; it has to be a whole number from {least} to {most}."
            )
        return int(text)

    def seconds(self, var: str, *, default: float) -> float:
        text = self.str(var, default=str(default))
        number = _number(text)
        if not 0 < number <= LARGEST:
            raise ImproperlyConfigured(f"{var} is “{text}”; it has to be a number above 0.")
        return number

    def share(self, var: str, *, default: str) -> str:
        text = str(self.str(var, default=default))
        if not re.fullmatch(r"\d*\.?\d+", text, re.ASCII) or float(text) > 1:
            raise ImproperlyConfigured(f"{var} is “{text}”; it has to be a number from 0 to 1.")
        return text

    def address(self, var: str, *, default: str) -> str:
        text = str(self.str(var, default=default))
        _require_address(var, text)
        return text

    def addresses(self, var: str, *, default: list[str]) -> list[str]:
        texts = [text for text in self.list(var, cast=str.strip, default=default) if text]
        for text in texts:
            _require_address(var, text)
        return texts

    def database(self, var: str, *, default: str) -> dict[str, Any]:
        """The database's address, taken apart."""
        text = str(self.str(var, default=default))
        parts = _split(text)
        if not parts or parts.scheme not in DATABASE_SCHEMES or not _is_one_name(parts.path):
            raise ImproperlyConfigured(
                f"{var} is not like postgresql://user:password@host:5432/name; {ESCAPES}."
            )
        return dict(self.db_url_config(text))

    def broker(self, var: str, *, default: str) -> str:
        text = str(self.str(var, default=default))
        parts = _split(text)
        if not parts or parts.scheme not in BROKER_SCHEMES or not _names_a_broker(parts):
            raise ImproperlyConfigured(
                f"{var} is not like redis://:password@host:6379/0; {ESCAPES}."
            )
        return text


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0
    return number if isfinite(number) else 0


def _require_address(var: str, text: str) -> None:
    parts = _split(text)
    if not parts or parts.scheme not in ("http", "https") or not parts.hostname or " " in text:
        raise ImproperlyConfigured(
            f"{var} is “{text}”; it has to be an address such as https://work.example.org."
        )


def _split(text: str) -> SplitResult | None:
    """Return the parts of an address whose port, if it has one, is a port."""
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018
    except ValueError:
        return None
    return parts


def _is_one_name(path: str) -> bool:
    """A password with a bare slash would reach into the path."""
    return bool(re.fullmatch(r"/[^/@]+", path))


def _names_a_broker(parts: SplitResult) -> bool:
    if parts.scheme == "unix":
        return bool(parts.path)
    return bool(parts.hostname and re.fullmatch(r"(/\d*)?", parts.path, re.ASCII))
