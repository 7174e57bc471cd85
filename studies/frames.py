"""What the marketplace's frame brings along: parameters, their signature, our own token.

Task pages live in a frame on another site, so cookies cannot be relied on. The first request is
known by the marketplace's signature; the later ones by a token that we sign ourselves.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote_plus, urlsplit

from django.conf import settings
from django.core import signing

PREVIEW_ID = "ASSIGNMENT_ID_NOT_AVAILABLE"
TOKEN_SALT = "studies.task"


class FrameRefused(Exception):
    """The parameters do not come from our marketplace. `code` says what is wrong with them."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Frame:
    """A worker's frame: who, on which slot, until when, and where a finished task goes."""

    assignment_id: str
    worker_id: str
    hit_id: str
    submit_origin: str
    deadline: datetime


@dataclass(frozen=True)
class Token:
    """A worker's key to one assignment, and where a finished task goes.

    `page` names the page that it was made for: the order of saves is known within one page only,
    since devices' clocks differ.
    """

    worker_id: str
    assignment: int
    submit_origin: str
    page: str = field(default_factory=lambda: secrets.token_hex(4))


def submit_origin(address: str) -> str:
    """The origin of `turkSubmitTo`, if finished tasks may go there. Raises FrameRefused."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise FrameRefused("submit-address") from error
    origin = f"{parts.scheme}://{parts.netloc}"
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise FrameRefused("submit-address")
    if origin not in settings.MTURK_SUBMIT_ORIGINS:
        raise FrameRefused("submit-address")
    return origin


def signature(
    *, secret: str, assignment_id: str, worker_id: str, hit_id: str, submit_to: str, deadline: int
) -> str:
    """The value of `fabulaSignature`: "<deadline>.<hex HMAC-SHA256 of the sorted parameters>"."""
    message = (
        f"assignmentId={quote_plus(assignment_id)}&deadline={deadline}&hitId={quote_plus(hit_id)}"
        f"&turkSubmitTo={quote_plus(submit_to)}&workerId={quote_plus(worker_id)}"
    )
    mac = hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()
    return f"{deadline}.{mac}"


def is_preview(query: Mapping[str, str]) -> bool:
    return query.get("assignmentId", PREVIEW_ID) == PREVIEW_ID


def read_frame(query: Mapping[str, str]) -> Frame:
    """The signed parameters of a worker's frame. Raises FrameRefused."""
    submit_to = query.get("turkSubmitTo", "")
    origin = submit_origin(submit_to)
    given = query.get("fabulaSignature", "")
    deadline = given.partition(".")[0]
    if not (deadline.isascii() and deadline.isdigit() and len(deadline) <= 12):
        raise FrameRefused("signature")
    expected = signature(
        secret=settings.MTURK_SIGNING_SECRET,
        assignment_id=query.get("assignmentId", ""),
        worker_id=query.get("workerId", ""),
        hit_id=query.get("hitId", ""),
        submit_to=submit_to,
        deadline=int(deadline),
    )
    if not settings.MTURK_SIGNING_SECRET or not hmac.compare_digest(
        given.encode(), expected.encode()
    ):
        raise FrameRefused("signature")
    if not query.get("workerId") or not query.get("hitId"):
        raise FrameRefused("parameters")
    return Frame(
        assignment_id=query["assignmentId"],
        worker_id=query["workerId"],
        hit_id=query["hitId"],
        submit_origin=origin,
        deadline=datetime.fromtimestamp(int(deadline), tz=UTC),
    )


def make_token(token: Token) -> str:
    return signing.dumps(
        {
            "w": token.worker_id,
            "o": token.submit_origin,
            "a": token.assignment,
            "p": token.page,
        },
        salt=TOKEN_SALT,
    )


def read_token(value: str) -> Token:
    """Raises FrameRefused. A token does not expire: what it may still do, the row decides."""
    try:
        data = signing.loads(value, salt=TOKEN_SALT)
    except signing.BadSignature as error:
        raise FrameRefused("token") from error
    return Token(
        worker_id=data["w"],
        submit_origin=submit_origin(data["o"]),
        assignment=data["a"],
        page=data.get("p", ""),
    )
