"""JSON that people send, read so that whatever comes of it can be stored."""

import json
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from studies.story_files.json_lines import fault_within


class BadJson(ValueError):
    """No JSON, or with something in it that cannot be kept; the text says which."""


def read_json(text: str | bytes) -> Any:
    """Raises BadJson."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise BadJson(
            _("This is no JSON: look at line %(line)s.") % {"line": error.lineno}
        ) from error
    except UnicodeDecodeError as error:
        raise BadJson(_("This is no JSON: it is not in UTF-8.")) from error
    except BadJson:
        raise
    except (RecursionError, ValueError) as error:
        raise BadJson(_("This is nested too deeply or holds a number too long to read.")) from error
    if fault := fault_within(value):
        raise BadJson(fault)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise BadJson(_("This is no JSON: %(constant)s is no value.") % {"constant": name})
