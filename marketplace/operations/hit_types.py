from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from marketplace.eligibility import Requirement
from marketplace.models import Requester
from marketplace.operations.requirements import checked_requirements
from marketplace.protocol.errors import ValueInvalid
from marketplace.protocol.registry import Answer, Call, operation
from marketplace.services.hits import HITProperties, register_hit_type

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import (
        CreateHITRequestTypeDef,
        CreateHITTypeRequestTypeDef,
    )

DEFAULT_AUTO_APPROVAL_SECONDS = 30 * 24 * 3600
LARGEST_REWARD = Decimal("999999.99")


@operation("CreateHITType")
def create_hit_type(call: Call[CreateHITTypeRequestTypeDef]) -> Answer:
    """The same properties give the HIT type that was made of them before."""
    hit_type = register_hit_type(
        requester=call.requester, properties=properties_from(call.requester, call.parameters)
    )
    return {"HITTypeId": hit_type.hit_type_id}


def properties_from(
    requester: Requester, given: CreateHITTypeRequestTypeDef | CreateHITRequestTypeDef
) -> HITProperties:
    requirements: Sequence[Requirement] = checked_requirements(
        requester, given.get("QualificationRequirements", ())
    )
    delay = given.get("AutoApprovalDelayInSeconds", DEFAULT_AUTO_APPROVAL_SECONDS)
    return HITProperties(
        title=given["Title"],
        description=given["Description"],
        keywords=given.get("Keywords", ""),
        reward_usd=_reward(given["Reward"]),
        assignment_duration=timedelta(seconds=given["AssignmentDurationInSeconds"]),
        auto_approval_delay=timedelta(seconds=delay),
        requirements=requirements,
    )


def _reward(text: str) -> Decimal:
    if len(text) > 20 or Decimal(text) > LARGEST_REWARD:
        raise ValueInvalid(text, "Reward", f"It must be at most {LARGEST_REWARD}.")
    return Decimal(text).quantize(Decimal("0.01"))
