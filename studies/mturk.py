"""The marketplace as our rounds see it: the one user of boto3.

Speaks the MTurk Requester API to settings.MTURK_ENDPOINT_URL and takes and returns plain values.
Every call either answers, raises MarketplaceUnavailable (worth trying again) or raises
MarketplaceRefused with the marketplace's own code.
"""

import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError, HTTPClientError
from django.conf import settings

from studies.mturk_values import AssignmentFacts as AssignmentFacts
from studies.mturk_values import HitType as HitType
from studies.mturk_values import PublishedHit as PublishedHit
from studies.mturk_values import external_question

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient
    from mypy_boto3_mturk.literals import EventTypeType

HIT_ID = re.compile(r"\b[A-Z0-9]{30}\b")
TYPE_GONE = "AWS.MechanicalTurk.QualificationTypeDoesNotExist"
NAME_TAKEN = "AWS.MechanicalTurk.QualificationTypeAlreadyExists"
NAME_TRIES = 3
EVENTS: "tuple[EventTypeType, ...]" = (
    "AssignmentSubmitted",
    "AssignmentReturned",
    "AssignmentAbandoned",
    "AssignmentApproved",
    "AssignmentRejected",
)


class MarketplaceUnavailable(Exception):
    """The marketplace did not answer; the same call may go through later."""


class MarketplaceRefused(Exception):
    """The marketplace answered no. `code` is its TurkErrorCode."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class QualificationTypeGone(MarketplaceRefused):
    """Somebody who has our keys has deleted a qualification type of ours."""


def client() -> "MTurkClient":
    return client_at(settings.MTURK_ENDPOINT_URL)


@lru_cache(maxsize=1)
def client_at(endpoint_url: str) -> "MTurkClient":
    # Loaded at the first call: every command starts with this module, few talk to a marketplace.
    import boto3
    from botocore.config import Config

    made = boto3.client(
        "mturk",
        endpoint_url=endpoint_url,
        region_name="us-east-1",
        aws_access_key_id=settings.MTURK_ACCESS_KEY_ID,
        aws_secret_access_key=settings.MTURK_SECRET_ACCESS_KEY,
        config=Config(
            connect_timeout=5,
            read_timeout=20,
            retries={"mode": "standard", "total_max_attempts": 3},
            max_pool_connections=16,
        ),
    )
    made.meta.events.register("before-parse.mturk", _read_first)
    return made


def _read_first(
    response_dict: dict[str, Any],
    customized_response_dict: dict[str, Any],
    operation_model: Any,
    **_more: Any,
) -> None:
    """Keep what our own marketplace says beyond MTurk's model, which botocore leaves out."""
    _refuse_part(response_dict)
    if operation_model.name == "GetAssignment" and response_dict["status_code"] == 200:
        try:
            found = dict(json.loads(response_dict["body"])["Assignment"])
        except (ValueError, LookupError, TypeError) as error:
            raise HTTPClientError(error="the answer cannot be read") from error
        customized_response_dict["Fabula"] = found


def _refuse_part(response_dict: dict[str, Any]) -> None:
    """Who is killed while answering sends a part, and botocore takes that for an empty answer."""
    promised = int(response_dict["headers"].get("Content-Length", 0))
    if len(response_dict["body"]) < promised:
        raise HTTPClientError(error="the answer broke off")


@contextmanager
def _answers() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        details = error.response.get("Error", {})
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        code = str(error.response.get("TurkErrorCode") or details.get("Code", ""))
        if status >= 500 or "Throttl" in code:
            raise MarketplaceUnavailable(str(details.get("Message", error))) from error
        refusal = QualificationTypeGone if code == TYPE_GONE else MarketplaceRefused
        raise refusal(code, str(details.get("Message", error))) from error
    except (EndpointConnectionError, HTTPClientError) as error:
        raise MarketplaceUnavailable(
            f"The marketplace at {settings.MTURK_ENDPOINT_URL} does not answer."
        ) from error
    except BotoCoreError as error:
        raise MarketplaceRefused(type(error).__name__, str(error)) from error


def balance_usd() -> Decimal:
    with _answers():
        return Decimal(client().get_account_balance()["AvailableBalance"])


def create_hit_type(hit_type: HitType) -> str:
    """Create it, or find the one with these very properties, as MTurk does."""
    with _answers():
        answer = client().create_hit_type(
            Title=hit_type.title,
            Description=hit_type.description,
            Keywords=hit_type.keywords,
            Reward=f"{hit_type.reward_usd:.2f}",
            AssignmentDurationInSeconds=int(hit_type.time_limit.total_seconds()),
            AutoApprovalDelayInSeconds=int(hit_type.auto_approval_delay.total_seconds()),
            QualificationRequirements=hit_type.requirements,  # type: ignore[arg-type]
        )
    return answer["HITTypeId"]


def create_hit(*, hit_type_id: str, url: str, key: str, lifetime: timedelta) -> str:
    """Publish one place for one worker. Repeating the call with the same key creates nothing.

    `key` goes in as UniqueRequestToken, which MTurk forgets after 24 hours, and as
    RequesterAnnotation, which it keeps: reconcile through `published_hits` before going on later.
    """
    try:
        with _answers():
            answer = client().create_hit_with_hit_type(
                HITTypeId=hit_type_id,
                MaxAssignments=1,
                LifetimeInSeconds=int(lifetime.total_seconds()),
                Question=external_question(url),
                RequesterAnnotation=key,
                UniqueRequestToken=key,
            )
    except MarketplaceRefused as refusal:
        known = HIT_ID.search(str(refusal))
        if refusal.code == "AWS.MechanicalTurk.HitAlreadyExists" and known:
            return known.group()
        raise
    return answer["HIT"]["HITId"]


def published_hits() -> Iterator[PublishedHit]:
    """Every HIT of this requester that is not disposed of, page by page."""
    with _answers():
        for page in (
            client().get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 100})
        ):
            for hit in page["HITs"]:
                yield PublishedHit(hit["HITId"], hit.get("RequesterAnnotation", ""))


def set_expiration(hit_id: str, at: datetime) -> None:
    """Move a HIT's expiration; a time in the past hides it at once, a later one brings it back."""
    with _answers():
        client().update_expiration_for_hit(HITId=hit_id, ExpireAt=at)


def submitted_assignment(assignment_id: str) -> AssignmentFacts | None:
    """The assignment if a worker has submitted it; None while it is being worked on or returned."""
    try:
        with _answers():
            answer: Any = client().get_assignment(AssignmentId=assignment_id)
    except MarketplaceRefused as refusal:
        if refusal.code in {
            "AWS.MechanicalTurk.AssignmentDoesNotExist",
            "AWS.MechanicalTurk.InvalidAssignmentState",
        }:
            return None
        raise
    found, ours = answer["Assignment"], answer["Fabula"]
    at = ours.get("FabulaReplyTime")
    return AssignmentFacts(
        assignment_id=found["AssignmentId"],
        worker_id=found["WorkerId"],
        hit_id=found["HITId"],
        status=found["AssignmentStatus"],
        feedback=found.get("RequesterFeedback", ""),
        reply=ours.get("FabulaReply", ""),
        replied_at=None if at is None else datetime.fromtimestamp(at, UTC),
    )


def approve(assignment_id: str, feedback: str = "") -> None:
    with _answers():
        client().approve_assignment(
            AssignmentId=assignment_id, RequesterFeedback=feedback, OverrideRejection=False
        )


def approve_after_all(assignment_id: str) -> None:
    """Take a rejection back. What the worker read of it stays to be read."""
    with _answers():
        client().approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)


def reject(assignment_id: str, reason: str) -> None:
    with _answers():
        client().reject_assignment(AssignmentId=assignment_id, RequesterFeedback=reason)


def create_qualification_type(*, name: str, description: str) -> str:
    """Make one, its name completed so that nobody has had it. boto3 repeats a request whose answer
    was lost; the name is taken by then, and what took it stays unused."""
    for _try in range(NAME_TRIES):
        try:
            with _answers():
                answer = client().create_qualification_type(
                    Name=f"{name} ({secrets.token_hex(4)})",
                    Description=description,
                    QualificationTypeStatus="Active",
                )
        except MarketplaceRefused as refusal:
            if refusal.code != NAME_TAKEN:
                raise
        else:
            return answer["QualificationType"]["QualificationTypeId"]
    raise MarketplaceUnavailable(f"{NAME_TRIES} answers of the marketplace were lost.")


def grant_qualification(qualification_type_id: str, worker_id: str) -> None:
    with _answers():
        client().associate_qualification_with_worker(
            QualificationTypeId=qualification_type_id,
            WorkerId=worker_id,
            IntegerValue=1,
            SendNotification=False,
        )


def revoke_qualification(qualification_type_id: str, worker_id: str) -> None:
    """Take it away; a worker who does not hold it is no error."""
    if not holds_qualification(qualification_type_id, worker_id):
        return
    with _answers():
        client().disassociate_qualification_from_worker(
            QualificationTypeId=qualification_type_id, WorkerId=worker_id
        )


def holds_qualification(qualification_type_id: str, worker_id: str) -> bool:
    try:
        with _answers():
            answer = client().get_qualification_score(
                QualificationTypeId=qualification_type_id, WorkerId=worker_id
            )
    except MarketplaceRefused as refusal:
        if refusal.code in {
            "AWS.MechanicalTurk.QualificationDoesNotExist",
            "AWS.MechanicalTurk.InvalidQualificationState",
        }:
            return False
        raise
    return answer["Qualification"]["Status"] == "Granted"


def subscribe(hit_type_id: str, address: str) -> None:
    """Have what happens to assignments posted to `address`, as the notification JSON."""
    with _answers():
        client().update_notification_settings(
            HITTypeId=hit_type_id,
            Active=True,
            Notification={
                "Destination": address,
                "Transport": "SNS",
                "Version": "2014-08-15",
                "EventTypes": list(EVENTS),
            },
        )
