"""What requesters do with HIT types and HITs."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction

from marketplace import ids, limits
from marketplace.eligibility import Requirement
from marketplace.errors import (
    HITAlreadyExists,
    InvalidMaximumAssignmentsIncrease,
    SubmissionsUndecided,
    WrongHITStatus,
)
from marketplace.models import HIT, HITType, QualificationRequirement, Requester
from marketplace.models.notification import Event
from marketplace.services.hit_changes import changing, lock_group
from marketplace.services.outbox import tell
from marketplace.services.request_tokens import use_token

# MTurk charges more from this many assignments on, so a HIT cannot grow across it.
MANY_ASSIGNMENTS = 10
DISPOSABLE = (HIT.Status.REVIEWING, HIT.Status.REVIEWABLE)


@dataclass(frozen=True)
class HITProperties:
    """What makes a HIT type: the same properties always give the same one."""

    title: str
    description: str
    keywords: str
    reward_usd: Decimal
    assignment_duration: timedelta
    auto_approval_delay: timedelta
    requirements: Sequence[Requirement]

    def fingerprint(self) -> str:
        values = json.dumps(asdict(self), default=str, sort_keys=True)
        return hashlib.sha256(values.encode()).hexdigest()


@transaction.atomic
def register_hit_type(*, requester: Requester, properties: HITProperties) -> HITType:
    hit_type, is_new = HITType.objects.get_or_create(
        requester=requester,
        fingerprint=properties.fingerprint(),
        defaults={
            "title": properties.title,
            "description": properties.description,
            "keywords": properties.keywords,
            "reward_usd": properties.reward_usd,
            "fee_usd": limits.fee_usd(properties.reward_usd),
            "assignment_duration": properties.assignment_duration,
            "auto_approval_delay": properties.auto_approval_delay,
        },
    )
    if is_new:
        QualificationRequirement.objects.bulk_create(
            QualificationRequirement(
                hit_type=hit_type,
                position=position,
                qualification_type_id=requirement.qualification_type_id,
                comparator=requirement.comparator,
                integer_values=list(requirement.integer_values),
                locale_values=list(requirement.locale_values),
                actions_guarded=requirement.actions_guarded,
            )
            for position, requirement in enumerate(properties.requirements)
        )
    return hit_type


# Without a savepoint: it is called in a transaction of its own that ends when this fails.
@transaction.atomic(savepoint=False)
def create_hit(
    *,
    hit_type: HITType,
    question: str,
    max_assignments: int,
    lifetime: timedelta,
    at: datetime,
    annotation: str = "",
    token: str | None = None,
) -> HIT:
    """Publish a HIT and hold the funds for it.

    Raises InsufficientFunds, or HITAlreadyExists with the HIT that `token` made before.
    """
    hit_id = ids.new_entity_id()
    if token is not None:
        _use_up(token, hit_type.requester, hit_id, at)
    hit_type = lock_group(hit_type.pk)
    hit = HIT(
        hit_id=hit_id,
        hit_type=hit_type,
        requester_id=hit_type.requester_id,
        question=question,
        max_assignments=max_assignments,
        created_at=at,
        expires_at=at + lifetime,
        requester_annotation=annotation,
        available=0,
        status=HIT.Status.UNASSIGNABLE,
    )
    with changing(hit, hit_type, at):
        hit.available = max_assignments
    tell(hit_type, Event.HIT_CREATED, at=at, hit=hit)
    return hit


def _use_up(token: str, requester: Requester, hit_id: str, at: datetime) -> None:
    use_token(
        requester=requester,
        operation="CreateHIT",
        token=token,
        resource_id=hit_id,
        at=at,
        refusal=HITAlreadyExists,
    )


@transaction.atomic
def set_expiration(*, hit: HIT, expires_at: datetime, at: datetime) -> HIT:
    """Expire at once, or give the HIT time (again); what was accepted keeps its own deadline.

    Raises WrongHITStatus for a deleted HIT, InsufficientFunds when reviving is not covered.
    """
    hit_type, hit = _locked(hit)
    _refuse_disposed(hit)
    is_longer = expires_at > max(hit.expires_at, at)
    with changing(hit, hit_type, at):
        hit.expires_at = expires_at
    if is_longer:
        tell(hit_type, Event.HIT_EXTENDED, at=at, hit=hit)
    return hit


@transaction.atomic
def add_assignments(*, hit: HIT, count: int, at: datetime, token: str | None = None) -> HIT:
    """Raises WrongHITStatus, InvalidMaximumAssignmentsIncrease, InsufficientFunds or
    TokenAlreadyUsed."""
    hit_type, hit = _locked(hit)
    if token is not None:
        use_token(
            requester=hit.requester,
            operation="CreateAdditionalAssignmentsForHIT",
            token=token,
            resource_id=hit.hit_id,
            at=at,
        )
    _refuse_disposed(hit)
    if hit.max_assignments < MANY_ASSIGNMENTS <= hit.max_assignments + count:
        raise InvalidMaximumAssignmentsIncrease
    with changing(hit, hit_type, at):
        hit.max_assignments += count
        hit.available += count
    tell(hit_type, Event.HIT_EXTENDED, at=at, hit=hit)
    return hit


@transaction.atomic
def mark_reviewing(*, hit: HIT, is_reviewing: bool, at: datetime) -> HIT:
    """Between Reviewable and Reviewing, one way or back; raises WrongHITStatus."""
    hit_type, hit = _locked(hit)
    wanted = HIT.Status.REVIEWABLE if is_reviewing else HIT.Status.REVIEWING
    if hit.status != wanted:
        raise WrongHITStatus(hit.status, wanted)
    with changing(hit, hit_type, at):
        hit.status = HIT.Status.REVIEWING if is_reviewing else HIT.Status.REVIEWABLE
    return hit


@transaction.atomic
def dispose_hit(*, hit: HIT, at: datetime) -> HIT:
    """Raises WrongHITStatus, or SubmissionsUndecided while there are any."""
    hit_type, hit = _locked(hit)
    if hit.status not in DISPOSABLE:
        raise WrongHITStatus(hit.status, *DISPOSABLE)
    if hit.submitted:
        raise SubmissionsUndecided(hit.status, hit.submitted)
    with changing(hit, hit_type, at):
        hit.status = HIT.Status.DISPOSED
    tell(hit_type, Event.HIT_DISPOSED, at=at, hit=hit)
    return hit


def _refuse_disposed(hit: HIT) -> None:
    if hit.status == HIT.Status.DISPOSED:
        states = [status for status in HIT.Status if status != HIT.Status.DISPOSED]
        raise WrongHITStatus(hit.status, *states)


def _locked(hit: HIT) -> tuple[HITType, HIT]:
    hit_type = lock_group(hit.hit_type_id)
    return hit_type, HIT.objects.select_related("requester").get(pk=hit.pk)
