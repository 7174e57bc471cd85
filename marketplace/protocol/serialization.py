"""Turns an operation's answer into JSON, from the service model."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from botocore.model import OperationModel, Shape


def answer_json(model: OperationModel, answer: Mapping[str, object]) -> dict[str, Any]:
    """Raises KeyError for a member that the model does not know: a mistake of ours."""
    shape = model.output_shape
    body: dict[str, Any] = {} if shape is None else _value(shape, answer)
    return body


def _value(shape: Any, value: Any) -> Any:
    if shape.type_name == "structure":
        return {n: _value(shape.members[n], v) for n, v in value.items() if v is not None}
    if shape.type_name == "list":
        return [_value(shape.member, member) for member in value]
    return _scalar(shape, value)


def _scalar(shape: Shape, value: Any) -> Any:
    if shape.type_name == "timestamp":
        assert isinstance(value, datetime)
        return value.timestamp()
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    if shape.type_name == "string":
        return str(value)
    return value
