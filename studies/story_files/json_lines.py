"""One JSON object a line, read strictly and named to the character."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from studies.story_files.results import Findings
from studies.story_files.tables import CELL_LIMIT

NAME_SHOWN = 100
DEEPEST = 50


class Record(NamedTuple):
    row: int
    fields: dict[str, Any]


class _DuplicateKey(ValueError):
    pass


class _NotANumber(ValueError):
    pass


def read_records(lines: Iterable[str], findings: Findings) -> Iterator[Record]:
    """The objects of a file; a line that is none goes to `findings` and reading goes on."""
    for row, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = _decoder.decode(line.strip("\r\n"))
        except json.JSONDecodeError as error:
            message = _("This is not JSON from here on: %(reason)s.") % {"reason": error.msg}
            findings.problem("not_json", message, row=row, column=str(error.colno))
        except _DuplicateKey as error:
            message = _("The field is there twice; which one counts is unclear.")
            findings.problem("duplicate_key", message, row=row, column=_shown_name(str(error)))
        except _NotANumber as error:
            message = _("%(constant)s is not JSON.") % {"constant": error}
            findings.problem("not_json", message, row=row)
        except (RecursionError, ValueError):
            message = _("This line is nested too deeply or holds a number too long to read.")
            findings.problem("not_json", message, row=row)
        else:
            if not isinstance(value, dict):
                message = _("This line is %(kind)s; one object in { } is expected on each line.")
                findings.problem("not_object", message % {"kind": kind_of(value)}, row=row)
            elif _check_names(value, row, findings):
                yield Record(row, value)


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    kinds: dict[type, str] = {
        str: _("text"),
        bool: _("true or false"),
        int: _("a number"),
        float: _("a number"),
        list: _("a list"),
        dict: _("an object"),
    }
    return kinds.get(type(value), _("null"))


def text_fault(text: str) -> tuple[str, str] | None:
    """Why a text cannot be stored: code and sentence. None when it can."""
    if len(text) > CELL_LIMIT:
        limit = f"{CELL_LIMIT:,}"
        message = _("This text has more than %(limit)s characters, the limit.") % {"limit": limit}
        return "too_long", message
    if "\0" in text:
        return "nul", _("A NUL character stands here. It cannot be stored.")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "surrogate", _("Half of a surrogate pair stands here. It is not a character.")
    return None


def fault_within(value: Any, *, depth: int = 0) -> str:
    """Why a value cannot be stored, looking into lists and objects. Empty when it can."""
    if isinstance(value, str):
        fault = text_fault(value)
        return fault[1] if fault else ""
    if isinstance(value, float) and not math.isfinite(value):
        return _("This number is too large.")
    if not isinstance(value, dict | list):
        return ""
    if depth == DEEPEST:
        return _("This is nested too deeply.")
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    return next(filter(None, (fault_within(one, depth=depth + 1) for one in inner)), "")


def _shown_name(name: str) -> str:
    """A field's name as it can be stored and shown: escaped as in the file where it must be."""
    shown = json.dumps(name)[1:-1] if text_fault(name) else name
    return shown[:NAME_SHOWN]


def _check_names(record: Mapping[str, Any], row: int, findings: Findings) -> bool:
    """Whether the names of all the record's fields can be stored."""
    names = "".join(record)
    if len(names) <= CELL_LIMIT and names.isascii() and "\0" not in names:
        return True
    good = True
    for name in record:
        if fault := text_fault(name):
            good = False
            code, reason = fault
            message = _("The name of this field cannot be used. %(reason)s") % {"reason": reason}
            findings.problem(code, message, row=row, column=_shown_name(name))
    return good


def check_text_fields(
    record: Mapping[str, Any], names: Iterable[str], row: int, findings: Findings
) -> bool:
    """Whether the record has all the fields, each with a text that can be stored."""
    if _is_plain(record, names):
        return True
    good = True
    for name in names:
        fault: tuple[str, str] | None
        if name not in record:
            fault = "missing_field", _("This field is missing.")
        elif not isinstance(value := record[name], str):
            message = _("This is %(kind)s; text is expected.") % {"kind": kind_of(value)}
            fault = "wrong_type", message
        else:
            fault = text_fault(value)
        if fault:
            good = False
            findings.problem(*fault, row=row, column=name)
    return good


def _is_plain(record: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Whether a quick look finds nothing to ask: most records of large files."""
    try:
        text = "".join([record[name] for name in names])
    except (KeyError, TypeError):
        return False
    return len(text) <= CELL_LIMIT and text.isascii() and "\0" not in text


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for name, _value in pairs:
            if name in seen:
                raise _DuplicateKey(name)
            seen.add(name)
    return value


def _refuse_constant(name: str) -> Any:
    raise _NotANumber(name)


_decoder = json.JSONDecoder(object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant)
