"""The environment, in which a switch that is neither on nor off is refused."""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

OFF = ("", "false", "off", "n", "no", "0")


class StrictEnv(environ.Env):  # type: ignore[misc]
    def bool(self, var: str, default: Any = environ.Env.NOTSET) -> bool:
        text = str(self.get_value(var, cast=str, default=default)).strip().lower()
        if text not in (*self.BOOLEAN_TRUE_STRINGS, *OFF):
            raise ImproperlyConfigured(f"{var} is “{text}”; it can be True or False.")
        return text not in OFF
