from __future__ import annotations

from typing import TYPE_CHECKING

from marketplace.models import Assignment
from marketplace.operations.hits import hit_answer
from marketplace.operations.owned import (
    SEEN_BY_REQUESTERS,
    owned_assignment,
    owned_hit,
    submitted_assignment,
)
from marketplace.protocol.paging import page_by_time
from marketplace.protocol.registry import Answer, Call, operation
from marketplace.services import reviews

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import (
        ApproveAssignmentRequestTypeDef,
        GetAssignmentRequestTypeDef,
        ListAssignmentsForHITRequestTypeDef,
        RejectAssignmentRequestTypeDef,
    )


@operation("ListAssignmentsForHIT")
def list_assignments_for_hit(call: Call[ListAssignmentsForHITRequestTypeDef]) -> Answer:
    """In the order submitted."""
    hit = owned_hit(call.requester, call.parameters["HITId"])
    statuses = call.parameters.get("AssignmentStatuses") or SEEN_BY_REQUESTERS
    rows = hit.assignments.filter(status__in=statuses).select_related("worker", "hit")
    found, token = page_by_time(rows, call, field="submitted_at")
    answers = [assignment_answer(assignment) for assignment in found]
    return {"NextToken": token, "NumResults": len(answers), "Assignments": answers}


@operation("GetAssignment")
def get_assignment(call: Call[GetAssignmentRequestTypeDef]) -> Answer:
    assignment = submitted_assignment(call.requester, call.parameters["AssignmentId"])
    return {"Assignment": assignment_answer(assignment), "HIT": hit_answer(assignment.hit)}


@operation("ApproveAssignment")
def approve_assignment(call: Call[ApproveAssignmentRequestTypeDef]) -> Answer:
    reviews.approve_assignment(
        assignment=owned_assignment(call.requester, call.parameters["AssignmentId"]),
        feedback=call.parameters.get("RequesterFeedback"),
        override_rejection=call.parameters.get("OverrideRejection", False),
        at=call.at,
    )
    return {}


@operation("RejectAssignment")
def reject_assignment(call: Call[RejectAssignmentRequestTypeDef]) -> Answer:
    reviews.reject_assignment(
        assignment=owned_assignment(call.requester, call.parameters["AssignmentId"]),
        feedback=call.parameters["RequesterFeedback"],
        at=call.at,
    )
    return {}


def assignment_answer(assignment: Assignment) -> dict[str, object]:
    return {
        "AssignmentId": assignment.assignment_id,
        "WorkerId": assignment.worker.worker_id,
        "HITId": assignment.hit.hit_id,
        "AssignmentStatus": assignment.status,
        "AutoApprovalTime": assignment.auto_approval_at,
        "AcceptTime": assignment.accepted_at,
        "SubmitTime": assignment.submitted_at,
        "ApprovalTime": assignment.approved_at,
        "RejectionTime": assignment.rejected_at,
        "Deadline": assignment.deadline,
        "Answer": assignment.answer,
        "RequesterFeedback": assignment.requester_feedback or None,
        "FabulaReply": assignment.worker_reply or None,
        "FabulaReplyTime": assignment.replied_at,
    }
