"""Turns a JSON body into checked values, from the service model's own metadata.

Wrong types, missing and unknown members and the documented bounds each give one sentence that names
the parameter; enumerations, patterns and ranges of the model are refused in AWS's own words.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NoReturn

from botocore.model import ListShape, OperationModel, Shape, StructureShape

from marketplace.protocol.bounds import ANY, BOUNDS, Bounds
from marketplace.protocol.errors import (
    NOT_TEXT,
    ModelViolated,
    NotUnderstood,
    ParameterInvalid,
    not_valid,
    violation,
)

SIZES = {"integer": 2**31, "long": 2**63}
MOST_REPORTED = 10


def read_body(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body.decode("utf-8") or "{}", parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise NotUnderstood("The body is not JSON that can be read.") from error
    if not isinstance(value, dict):
        raise NotUnderstood("The body must be a JSON object.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def checked_input(model: OperationModel, body: dict[str, Any]) -> dict[str, Any]:
    """Raises ModelViolated or ParameterInvalid with what is wrong, at most ten of it."""
    walk = Walk()
    shape = model.input_shape
    assert shape is not None
    values = walk.structure(shape, body, "")
    if walk.missing:
        raise ModelViolated(_some_of(walk.missing))
    if walk.violations:
        raise ModelViolated(_counted(walk.violations))
    if walk.problems:
        raise ParameterInvalid(_some_of(walk.problems))
    assert isinstance(values, dict)
    return values


def _some_of(sentences: list[str]) -> str:
    more = len(sentences) - MOST_REPORTED
    return " ".join(sentences[:MOST_REPORTED]) + (f" And {more} more." if more > 0 else "")


def _counted(violations: list[str]) -> str:
    count = len(violations)
    errors = "error" if count == 1 else "errors"
    return f"{count} validation {errors} detected: {'; '.join(violations[:MOST_REPORTED])}"


class Walk:
    """One pass over a value with its shape; collects problems and returns Python values."""

    def __init__(self) -> None:
        self.missing: list[str] = []
        self.violations: list[str] = []
        self.problems: list[str] = []
        self.by_type: dict[str, Callable[[Any, Any, str], Any]] = {
            "structure": self.structure,
            "list": self.list,
            "string": self.string,
            "integer": self.number,
            "long": self.number,
            "boolean": self.boolean,
            "timestamp": self.timestamp,
        }

    def value(self, shape: Shape, value: Any, path: str) -> Any:
        return self.by_type[shape.type_name](shape, value, path)

    def problem(self, path: str, value: Any, text: str) -> None:
        self.problems.append(not_valid(value, path, f"It {text}."))

    def structure(self, shape: StructureShape, value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            return self.problem(path, value, "must be an object")
        # A null is as good as absent, as everywhere in this protocol.
        given = {name: member for name, member in value.items() if member is not None}
        for name in shape.required_members:
            if name not in given:
                self.missing.append(f"{_join(path, name)} is required.")
        for name in given.keys() - shape.members.keys():
            named = _join(path, _quoted(name))
            self.problems.append(f"{named} is not a parameter of this call.")
        return {
            name: self.value(member, given[name], _join(path, name))
            for name, member in shape.members.items()
            if name in given
        }

    def list(self, shape: ListShape, value: Any, path: str) -> Any:
        if not isinstance(value, list):
            return self.problem(path, value, "must be a list")
        bounds = _documented(path)
        if not bounds.least <= len(value) <= bounds.most:
            return self.problem(path, value, f"must have {bounds.least} to {bounds.most} members")
        return [self.value(shape.member, member, f"{path}[{i}]") for i, member in enumerate(value)]

    def string(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, str):
            return self.problem(path, value, "must be a string")
        if NOT_TEXT.search(value):
            return self.problem(path, value, "has characters that are not text")
        self._hold_to_model(shape, path, value, len(value), "length")
        bounds = _documented(path)
        if not bounds.least <= len(value) <= bounds.most:
            self.problem(path, value, f"must have {bounds.least} to {bounds.most} characters")
        return value

    def number(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, int) or isinstance(value, bool):
            return self.problem(path, value, "must be a whole number")
        size = SIZES[shape.type_name]
        if not -size <= value < size:
            return self.problem(path, value, "is too large a number")
        self._hold_to_model(shape, path, value, value, "value")
        bounds = _documented(path)
        if not bounds.least <= value <= bounds.most:
            self.problem(path, value, f"must be from {bounds.least} to {bounds.most}")
        return value

    def boolean(self, shape: Shape, value: Any, path: str) -> Any:
        return (
            value if isinstance(value, bool) else self.problem(path, value, "must be true or false")
        )

    def timestamp(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return self.problem(path, value, "must be a time in seconds since 1970")
        try:
            return datetime.fromtimestamp(value, UTC)
        except (ValueError, OverflowError, OSError):
            return self.problem(path, value, "is not a time that can be represented")

    def _hold_to_model(self, shape: Shape, path: str, value: Any, size: int, of: str) -> None:
        rules = shape.metadata
        broken = []
        if size < rules.get("min", size):
            broken.append(f"have {of} greater than or equal to {rules['min']}")
        if size > rules.get("max", size):
            broken.append(f"have {of} less than or equal to {rules['max']}")
        pattern = rules.get("pattern")
        if pattern and not re.fullmatch(pattern.removeprefix("^").removesuffix("$"), value):
            broken.append(f"satisfy regular expression pattern: {pattern}")
        allowed = rules.get("enum")
        if allowed and value not in allowed:
            broken.append(f"satisfy enum value set: [{', '.join(allowed)}]")
        self.violations += [violation(value, path, rule) for rule in broken]


def _documented(path: str) -> Bounds:
    return BOUNDS.get(path.rpartition(".")[2], ANY)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _quoted(name: str) -> str:
    return NOT_TEXT.sub("\ufffd", name[:60])
