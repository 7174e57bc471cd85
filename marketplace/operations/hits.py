from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from django.db.models import QuerySet

from marketplace.eligibility import SYSTEM_QUALIFICATIONS
from marketplace.models import HIT, HITType
from marketplace.operations.hit_types import properties_from
from marketplace.operations.owned import known_qualification_type, owned_hit, owned_hit_type
from marketplace.operations.requirements import requirement_answers
from marketplace.protocol.errors import ModelViolated, ParameterInvalid, ValueInvalid, XMLInvalid
from marketplace.protocol.paging import page_by_id
from marketplace.protocol.registry import Answer, Call, operation
from marketplace.questions import QuestionNotUsable, QuestionNotValid, check_new_question
from marketplace.services import hits

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import (
        CreateAdditionalAssignmentsForHITRequestTypeDef,
        CreateHITRequestTypeDef,
        CreateHITWithHITTypeRequestTypeDef,
        DeleteHITRequestTypeDef,
        GetHITRequestTypeDef,
        ListHITsForQualificationTypeRequestTypeDef,
        ListHITsRequestTypeDef,
        ListReviewableHITsRequestTypeDef,
        UpdateExpirationForHITRequestTypeDef,
        UpdateHITReviewStatusRequestTypeDef,
    )

LONGEST_LIFETIME = timedelta(days=365)
LAYOUTS = ("HITLayoutId", "HITLayoutParameters")
POLICIES = ("AssignmentReviewPolicy", "HITReviewPolicy")


@operation("CreateHIT")
def create_hit(call: Call[CreateHITRequestTypeDef]) -> Answer:
    properties = properties_from(call.requester, call.parameters)
    hit_type = hits.register_hit_type(requester=call.requester, properties=properties)
    return {"HIT": _publish(call.parameters, hit_type, call.at)}


@operation("CreateHITWithHITType")
def create_hit_with_hit_type(call: Call[CreateHITWithHITTypeRequestTypeDef]) -> Answer:
    hit_type = owned_hit_type(call.requester, call.parameters["HITTypeId"])
    return {"HIT": _publish(call.parameters, hit_type, call.at)}


def _publish(
    given: CreateHITRequestTypeDef | CreateHITWithHITTypeRequestTypeDef,
    hit_type: HITType,
    at: datetime,
) -> Answer:
    hit = hits.create_hit(
        hit_type=hit_type,
        question=_question(given),
        max_assignments=given.get("MaxAssignments", 1),
        lifetime=timedelta(seconds=given["LifetimeInSeconds"]),
        annotation=given.get("RequesterAnnotation", ""),
        token=given.get("UniqueRequestToken"),
        at=at,
    )
    return hit_answer(hit)


def _question(given: CreateHITRequestTypeDef | CreateHITWithHITTypeRequestTypeDef) -> str:
    for name in (*LAYOUTS, *POLICIES):
        if name in given:
            raise ParameterInvalid(f"{name} is not available yet on this marketplace.")
    question = given.get("Question")
    if question is None:
        raise ModelViolated("Question is required.")
    try:
        check_new_question(question)
    except QuestionNotValid as error:
        raise XMLInvalid(str(error)) from error
    except QuestionNotUsable as error:
        raise ValueInvalid(question, "Question", str(error)) from error
    return question


@operation("GetHIT")
def get_hit(call: Call[GetHITRequestTypeDef]) -> Answer:
    return {"HIT": hit_answer(owned_hit(call.requester, call.parameters["HITId"]))}


@operation("ListHITs")
def list_hits(call: Call[ListHITsRequestTypeDef]) -> Answer:
    return _page_of(HIT.objects.filter(requester=call.requester).listed(), call)


@operation("ListReviewableHITs")
def list_reviewable_hits(call: Call[ListReviewableHITsRequestTypeDef]) -> Answer:
    status = call.parameters.get("Status", HIT.Status.REVIEWABLE)
    rows = HIT.objects.filter(requester=call.requester, status=status)
    if "HITTypeId" in call.parameters:
        hit_type = owned_hit_type(call.requester, call.parameters["HITTypeId"])
        rows = rows.filter(hit_type=hit_type)
    return _page_of(rows, call)


@operation("ListHITsForQualificationType")
def list_hits_for_qualification_type(
    call: Call[ListHITsForQualificationTypeRequestTypeDef],
) -> Answer:
    """The caller's own that ask for it, whosever it is."""
    type_id = call.parameters["QualificationTypeId"]
    if type_id not in SYSTEM_QUALIFICATIONS:
        known_qualification_type(type_id)
    asking = HITType.objects.filter(
        requester=call.requester, requirements__qualification_type_id=type_id
    )
    # Read first: of a few HIT types the HITs are found at once, however many there are of others.
    hit_types = list(asking.order_by().values_list("pk", flat=True).distinct())
    return _page_of(HIT.objects.filter(hit_type__in=hit_types).listed(), call)


@operation("UpdateExpirationForHIT")
def update_expiration_for_hit(call: Call[UpdateExpirationForHITRequestTypeDef]) -> Answer:
    """A time in the past expires the HIT at once, one in the future revives it."""
    expires_at = cast(datetime, call.parameters["ExpireAt"])
    if expires_at > call.at + LONGEST_LIFETIME:
        why = "It must be at most 365 days from now."
        raise ValueInvalid(expires_at.isoformat(), "ExpireAt", why)
    hit = owned_hit(call.requester, call.parameters["HITId"])
    hits.set_expiration(hit=hit, expires_at=expires_at, at=call.at)
    return {}


@operation("CreateAdditionalAssignmentsForHIT")
def create_additional_assignments_for_hit(
    call: Call[CreateAdditionalAssignmentsForHITRequestTypeDef],
) -> Answer:
    hit = owned_hit(call.requester, call.parameters["HITId"])
    count = call.parameters["NumberOfAdditionalAssignments"]
    if hit.max_assignments + count > 1_000_000_000:
        why = "A HIT can have at most 1000000000 assignments."
        raise ValueInvalid(count, "NumberOfAdditionalAssignments", why)
    hits.add_assignments(
        hit=hit, count=count, at=call.at, token=call.parameters.get("UniqueRequestToken")
    )
    return {}


@operation("UpdateHITReviewStatus")
def update_hit_review_status(call: Call[UpdateHITReviewStatusRequestTypeDef]) -> Answer:
    hit = owned_hit(call.requester, call.parameters["HITId"])
    hits.mark_reviewing(hit=hit, is_reviewing=not call.parameters.get("Revert", False), at=call.at)
    return {}


@operation("DeleteHIT")
def delete_hit(call: Call[DeleteHITRequestTypeDef]) -> Answer:
    hits.dispose_hit(hit=owned_hit(call.requester, call.parameters["HITId"]), at=call.at)
    return {}


def _page_of(rows: QuerySet[HIT], call: Call[Any]) -> Answer:
    """Newest first."""
    whole = rows.select_related("hit_type").prefetch_related("hit_type__requirements")
    found, token = page_by_id(whole, call)
    answers = [hit_answer(hit) for hit in found]
    return {"NextToken": token, "NumResults": len(answers), "HITs": answers}


def hit_answer(hit: HIT) -> dict[str, object]:
    hit_type = hit.hit_type
    return {
        "HITId": hit.hit_id,
        "HITTypeId": hit_type.hit_type_id,
        "HITGroupId": hit_type.group_id,
        "CreationTime": hit.created_at,
        "Title": hit_type.title,
        "Description": hit_type.description,
        "Question": hit.question,
        "Keywords": hit_type.keywords,
        "HITStatus": hit.status,
        "MaxAssignments": hit.max_assignments,
        "Reward": hit_type.reward_usd,
        "AutoApprovalDelayInSeconds": int(hit_type.auto_approval_delay.total_seconds()),
        "Expiration": hit.expires_at,
        "AssignmentDurationInSeconds": int(hit_type.assignment_duration.total_seconds()),
        "RequesterAnnotation": hit.requester_annotation or None,
        "QualificationRequirements": requirement_answers(hit_type),
        "HITReviewStatus": hit.review_status,
        "NumberOfAssignmentsPending": hit.pending,
        "NumberOfAssignmentsAvailable": hit.available,
        "NumberOfAssignmentsCompleted": hit.completed,
    }
