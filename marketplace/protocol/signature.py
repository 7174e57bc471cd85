"""Checks Signature Version 4 with botocore's own signer.

The signature covers the Host header and path as the client sent them: a proxy in front must pass
both on unchanged.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest, HeadersDict
from botocore.compat import HTTPHeaders
from botocore.credentials import Credentials
from django.db.models import QuerySet

from database.prepared import prepared
from marketplace.models import AccessKey, Requester
from marketplace.protocol.errors import (
    IncompleteSignature,
    InvalidSignature,
    MissingAuthentication,
    UnrecognizedClient,
)
from marketplace.protocol.model import SIGNING_NAME

ALGORITHM = "AWS4-HMAC-SHA256"
TIMESTAMP = "%Y%m%dT%H%M%SZ"
ALLOWED_SKEW = timedelta(minutes=5)
PART = re.compile(r"^(Credential|SignedHeaders|Signature)=(\S+)$")


@dataclass(frozen=True)
class SignedRequest:
    """An HTTP request as it came in; header names in lower case."""

    method: str
    raw_path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Authorization:
    access_key_id: str
    date: str
    region: str
    signed_headers: tuple[str, ...]
    signature: str


class Verifier(SigV4Auth):
    """Signs exactly the headers that the client says it signed."""

    def headers_to_sign(self, request: AWSRequest) -> HTTPHeaders:
        headers = HTTPHeaders()
        for name, value in request.headers.items():
            headers[name.lower()] = value
        return headers


def authenticate(request: SignedRequest, *, at: datetime) -> Requester:
    """The requester whose key signed the request; raises what AWS would answer."""
    authorization = _parse(request.headers.get("authorization", ""))
    timestamp = _checked_timestamp(request, authorization, at)
    key = _active_key.first(access_key_id=authorization.access_key_id)
    if key is None:
        raise UnrecognizedClient
    expected = _signature(request, authorization, timestamp, key)
    if not hmac.compare_digest(expected.encode(), authorization.signature.encode()):
        raise InvalidSignature(
            "The request signature we calculated does not match the signature you provided. "
            "Check your secret access key and signing method."
        )
    return key.requester


@prepared
def _active_key(*, access_key_id: str) -> QuerySet[AccessKey]:
    keys = AccessKey.objects.filter(access_key_id=access_key_id, is_active=True)
    return keys.select_related("requester").order_by()


def _parse(header: str) -> Authorization:
    if not header:
        raise MissingAuthentication("Missing Authentication Token")
    algorithm, _, rest = header.partition(" ")
    if algorithm != ALGORITHM:
        raise IncompleteSignature(f"The Authorization header must use {ALGORITHM}.")
    matches = [PART.match(part.strip()) for part in rest.split(",")]
    parts = {match[1]: match[2] for match in matches if match}
    for name in ("Credential", "SignedHeaders", "Signature"):
        if name not in parts:
            raise IncompleteSignature(f"Authorization header requires '{name}' parameter.")
    return _with_scope(parts)


def _with_scope(parts: dict[str, str]) -> Authorization:
    scope = parts["Credential"].split("/")
    if len(scope) != 5 or not all(scope) or not parts["Credential"].isprintable():
        raise IncompleteSignature(
            "Credential must have the form KEY/DATE/REGION/SERVICE/aws4_request."
        )
    access_key_id, date, region, service, terminator = scope
    if service != SIGNING_NAME:
        raise InvalidSignature(f"Credential should be scoped to correct service: '{SIGNING_NAME}'.")
    if terminator != "aws4_request":
        raise InvalidSignature("Credential should be scoped with a valid terminator.")
    signed = tuple(parts["SignedHeaders"].lower().split(";"))
    return Authorization(access_key_id, date, region, signed, parts["Signature"])


def _checked_timestamp(request: SignedRequest, authorization: Authorization, at: datetime) -> str:
    timestamp = request.headers.get("x-amz-date", "")
    try:
        signed_at = datetime.strptime(timestamp, TIMESTAMP).replace(tzinfo=UTC)
    except ValueError as error:
        raise IncompleteSignature(
            "X-Amz-Date must be a time of the form YYYYMMDD'T'HHMMSS'Z'."
        ) from error
    if authorization.date != timestamp[:8]:
        raise InvalidSignature("Date in Credential scope does not match X-Amz-Date.")
    now = at.strftime(TIMESTAMP)
    if signed_at < at - ALLOWED_SKEW:
        earliest = (at - ALLOWED_SKEW).strftime(TIMESTAMP)
        raise InvalidSignature(
            f"Signature expired: {timestamp} is now earlier than {earliest} ({now} - 5 min.)"
        )
    if signed_at > at + ALLOWED_SKEW:
        latest = (at + ALLOWED_SKEW).strftime(TIMESTAMP)
        raise InvalidSignature(
            f"Signature not yet current: {timestamp} is still later than {latest} ({now} + 5 min.)"
        )
    return timestamp


def _signature(
    request: SignedRequest, authorization: Authorization, timestamp: str, key: AccessKey
) -> str:
    headers = _signed_headers(request, authorization)
    signer = Verifier(
        Credentials(key.access_key_id, key.secret_access_key), SIGNING_NAME, authorization.region
    )
    signed = AWSRequest(
        method=request.method,
        url=f"http://{request.headers['host']}{request.raw_path}",
        headers=headers,
        data=request.body,
    )
    signed.context["timestamp"] = timestamp
    canonical = signer.canonical_request(signed)
    return str(signer.signature(signer.string_to_sign(signed, canonical), signed))


def _signed_headers(request: SignedRequest, authorization: Authorization) -> HeadersDict:
    required = {"host", "x-amz-date", "x-amz-target"}
    if missing := required - set(authorization.signed_headers):
        raise InvalidSignature(f"'{sorted(missing)[0]}' must be a signed header.")
    if absent := [n for n in authorization.signed_headers if n not in request.headers]:
        raise InvalidSignature(f"The signed header '{absent[0]}' is not in the request.")
    payload_hash = request.headers.get("x-amz-content-sha256")
    if payload_hash is not None and payload_hash != hashlib.sha256(request.body).hexdigest():
        raise InvalidSignature("X-Amz-Content-SHA256 is not the hash of the body.")
    return HeadersDict({name: request.headers[name] for name in authorization.signed_headers})
