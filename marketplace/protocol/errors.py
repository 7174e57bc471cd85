"""Errors as the protocol words them: a type that clients know, a message, MTurk's own code."""

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
    """The request cannot be done: what MTurk answers to nearly every mistake."""


class ParameterInvalid(RequestError):
    def __init__(self, message: str) -> None:
        super().__init__(message, "ParameterValidationError")


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
