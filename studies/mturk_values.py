"""What is sent to the marketplace and what comes back, as plain values."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import escape

QUESTION_SCHEMA = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
    "ExternalQuestion.xsd"
)


@dataclass(frozen=True)
class HitType:
    title: str
    description: str
    keywords: str
    reward_usd: Decimal
    time_limit: timedelta
    auto_approval_delay: timedelta
    requirements: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class PublishedHit:
    hit_id: str
    annotation: str


@dataclass(frozen=True)
class AssignmentFacts:
    """A submitted assignment: status is Submitted, Approved or Rejected.

    `reply` is what the worker said to a rejection; MTurk itself knows of none.
    """

    assignment_id: str
    worker_id: str
    hit_id: str
    status: str
    feedback: str = ""
    reply: str = ""
    replied_at: datetime | None = None


def external_question(url: str) -> str:
    return (
        f'<ExternalQuestion xmlns="{QUESTION_SCHEMA}">'
        f"<ExternalURL>{escape(url)}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
    )
