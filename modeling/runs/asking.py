"""What a person asks for, from wherever they ask, becomes a configuration."""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from modeling.configuration import Configuration
from modeling.methods import METHODS
from modeling.presets import PRESETS, preset
from modeling.runs.creating import RunRefused


def configuration_for(
    *, task: str, method: str = "", preset_name: str = "", settings: Mapping[str, Any]
) -> Configuration:
    """Of a preset for the task, or of a method, with the settings that differ. Raises RunRefused
    and BadConfiguration."""
    if bool(method) == bool(preset_name):
        raise RunRefused(_("Name a method or a preset."))
    if preset_name:
        if preset_name not in PRESETS:
            raise RunRefused(_("There is no preset %(name)s.") % {"name": preset_name})
        try:
            return preset(preset_name, task, **settings)
        except KeyError as error:
            raise RunRefused(
                _("There is no preset %(name)s for %(task)s.") % {"name": preset_name, "task": task}
            ) from error
    if method not in METHODS:
        raise RunRefused(_("There is no method %(name)s.") % {"name": method})
    return METHODS[method].from_dict(settings)


def settings_from(lines: Sequence[str]) -> dict[str, Any]:
    """Of lines such as epochs=7: a value is read as JSON where it is, else as text. Raises
    RunRefused."""
    settings: dict[str, Any] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            text = _("Write a setting as name=value, not as “%(line)s”.")
            raise RunRefused(text % {"line": line})
        settings[name.strip()] = _value(value.strip())
    return settings


def fresh_seeds(count: int) -> list[int]:
    return [secrets.randbits(32) for _ in range(count)]


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    # The second: brackets within brackets, thousands of them.
    except (ValueError, RecursionError):
        return text
