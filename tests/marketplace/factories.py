"""One function a noun; tests say only what matters to them."""

from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from django.db import transaction
from django.utils import timezone

from marketplace.eligibility import Requirement
from marketplace.models import HIT, AccessKey, Assignment, HITType, Requester, Worker
from marketplace.services.assignments import accept_hit, submit_assignment
from marketplace.services.funds import credit_requester
from marketplace.services.hits import HITProperties, create_hit, register_hit_type

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/'
    'AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">'
    "<ExternalURL>https://tasks.example.org/open?round=7&amp;x=1</ExternalURL>"
    "<FrameHeight>600</FrameHeight></ExternalQuestion>"
)
_numbers = count(1)


def make_requester(*, funds_usd: str = "10000.00", **fields: Any) -> Requester:
    requester = Requester.objects.create(
        **{"name": f"Requester {next(_numbers)}", "signing_secret": "a secret"} | fields
    )
    credit_requester(requester=requester, amount_usd=Decimal(funds_usd), note="for tests")
    requester.refresh_from_db()
    return requester


def make_key(requester: Requester | None = None) -> AccessKey:
    return AccessKey.objects.create(requester=requester or make_requester())


def make_hit_type(
    requester: Requester | None = None,
    *,
    requirements: tuple[Requirement, ...] = (),
    minutes: float = 30,
    reward: str = "0.35",
    auto_approval: timedelta = timedelta(days=3),
) -> HITType:
    properties = HITProperties(
        title=f"Read five sentences ({next(_numbers)})",
        description="Say what is true of someone in a short story.",
        keywords="story, reading",
        reward_usd=Decimal(reward),
        assignment_duration=timedelta(minutes=minutes),
        auto_approval_delay=auto_approval,
        requirements=requirements,
    )
    return register_hit_type(requester=requester or make_requester(), properties=properties)


def make_hit(hit_type: HITType | None = None, **fields: Any) -> HIT:
    defaults: dict[str, Any] = {
        "hit_type": hit_type or make_hit_type(),
        "question": QUESTION,
        "max_assignments": 1,
        "lifetime": timedelta(days=1),
        "at": timezone.now(),
    }
    with transaction.atomic():
        return create_hit(**defaults | fields)


def make_worker(**fields: Any) -> Worker:
    return Worker.objects.create(**fields)


def make_accepted(hit_type: HITType, worker: Worker | None = None) -> Assignment:
    return accept_hit(worker=worker or make_worker(), group_id=hit_type.group_id)


def make_submitted(hit_type: HITType, worker: Worker | None = None) -> Assignment:
    accepted = make_accepted(hit_type, worker)
    return submit_assignment(
        assignment_id=accepted.assignment_id, fields=[("answer", "a quiet evening")]
    )
