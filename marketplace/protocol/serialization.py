"""Turns an operation's answer into JSON, from the service model."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from botocore.model import OperationModel, Shape

OURS = "Fabula"


def answer_json(model: OperationModel, answer: Mapping[str, object]) -> dict[str, Any]:
    """Raises KeyError for a member that the model does not know: a mistake of ours, unless it says
    by its name that MTurk does not have it. Clients leave out what their model does not know."""
    shape = model.output_shape
    body: dict[str, Any] = {} if shape is None else _value(shape, answer)
    return body


def _value(shape: Any, value: Any) -> Any:
    if shape.type_name == "structure":
        return {name: _member(shape, name, v) for name, v in value.items() if v is not None}
    if shape.type_name == "list":
        return [_value(shape.member, member) for member in value]
    return _scalar(shape, value)


def _member(shape: Any, name: str, value: Any) -> Any:
    if name.startswith(OURS):
        return value.timestamp() if isinstance(value, datetime) else value
    return _value(shape.members[name], value)


def _scalar(shape: Shape, value: Any) -> Any:
    if shape.type_name == "timestamp":
        assert isinstance(value, datetime)
        # Whole seconds, as MTurk says them: clients read the text of a time.
        return value.timestamp() // 1
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    if shape.type_name == "string":
        return str(value)
    return value
