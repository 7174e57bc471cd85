"""Errors as the protocol words them: a type that clients know, a message, MTurk's own code."""

import json
import re

# What a database text column or a JSON answer cannot carry.
NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
LONGEST_SHOWN = 100
PREFIX = "AWS.MechanicalTurk."


class ProtocolError(Exception):
    """Answered as `{"__type": type, "Message": ..., "TurkErrorCode": ...}`."""

    type = "RequestError"
    status = 400

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = f"{PREFIX}{code}" if code else ""

    def body(self) -> dict[str, str]:
        body = {"__type": self.type, "Message": self.message}
        return body | {"TurkErrorCode": self.code} if self.code else body


class RequestError(ProtocolError):
    """The request cannot be done as things are: states, money, what does not exist."""


class ParameterInvalid(ProtocolError):
    """What was sent can never be right. Clients know no class of its own for this."""

    type = "ParameterValidationError"

    def __init__(self, message: str, code: str = "InvalidParameterValue") -> None:
        super().__init__(message, code)


class ValueInvalid(ParameterInvalid):
    """One value of one parameter; `why` is a sentence."""

    def __init__(self, value: object, name: str, why: str) -> None:
        super().__init__(not_valid(value, name, why))


class XMLInvalid(ParameterInvalid):
    def __init__(self, why: str) -> None:
        super().__init__(
            "There was an error parsing the XML question or answer data in your request. Please "
            "make sure the data is well-formed and validates against the appropriate schema. "
            f"Details: {why}",
            "XMLParseError",
        )


class ModelViolated(ProtocolError):
    """A member is missing, or a value breaks a constraint of the service model itself."""

    type = "ValidationException"


def not_valid(value: object, name: str, why: str) -> str:
    return f'The value "{_shown(value)}" is not valid for the parameter {name}. {why}'


def violation(value: object, path: str, rule: str) -> str:
    """As AWS words it: names begin with a small letter, members of a list are counted from 1."""
    names = [f"{name[:1].lower()}{name[1:]}" for name in path.split(".")]
    where = re.sub(r"\[(\d+)\]", lambda index: f".{int(index[1]) + 1}.member", ".".join(names))
    return f"Value '{_shown(value)}' at '{where}' failed to satisfy constraint: Member must {rule}"


def _shown(value: object) -> str:
    shown = value if isinstance(value, str) else _brief_json(value)
    if len(shown) > LONGEST_SHOWN:
        shown = f"{shown[:LONGEST_SHOWN]}…"
    return NOT_TEXT.sub("\ufffd", shown)


def _brief_json(value: object) -> str:
    if isinstance(value, dict):
        return "{…}"
    return "[…]" if isinstance(value, list) else json.dumps(value)


class ServiceFault(ProtocolError):
    """Our fault; the client may try again (boto3 does, on status 500)."""

    type = "ServiceFault"
    status = 500

    def __init__(self) -> None:
        super().__init__(
            "The marketplace is temporarily unable to process your request. Try your call again.",
            "ServiceFault",
        )


class NotUnderstood(ProtocolError):
    """The body is no JSON object that the protocol could carry."""

    type = "SerializationException"


class UnknownOperation(ProtocolError):
    type = "UnknownOperationException"


class MissingAuthentication(ProtocolError):
    type = "MissingAuthenticationTokenException"


class IncompleteSignature(ProtocolError):
    type = "IncompleteSignatureException"


class UnrecognizedClient(ProtocolError):
    type = "UnrecognizedClientException"

    def __init__(self) -> None:
        super().__init__("The security token included in the request is invalid.")


class InvalidSignature(ProtocolError):
    type = "InvalidSignatureException"
