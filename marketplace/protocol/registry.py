"""The operations on offer: each a short function from a typed request to an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from marketplace.models import Requester
from marketplace.protocol.errors import RequestError
from marketplace.protocol.model import OPERATION_NAMES

Parameters = TypeVar("Parameters", bound=Mapping[str, Any])
Answer = Mapping[str, object]


@dataclass(frozen=True)
class Call(Generic[Parameters]):
    """One authenticated call; `parameters` were checked against the service model."""

    requester: Requester
    operation: str
    parameters: Parameters
    at: datetime


Handler = Callable[[Call[Parameters]], Answer]
_handlers: dict[str, Handler[Any]] = {}


def operation(name: str) -> Callable[[Handler[Parameters]], Handler[Parameters]]:
    """Register the function that answers operation `name` of the service model."""
    if name not in OPERATION_NAMES:
        raise LookupError(f"{name} is not an operation of the service model.")

    def register(handler: Handler[Parameters]) -> Handler[Parameters]:
        _handlers[name] = handler
        return handler

    return register


def handler_for(name: str) -> Handler[Any]:
    handler = _handlers.get(name)
    if handler is None:
        raise RequestError(f"{name} is not available yet on this marketplace.", "NotAvailable")
    return handler


def registered() -> frozenset[str]:
    return frozenset(_handlers)
