from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from marketplace.models import Bonus
from marketplace.operations.owned import (
    known_worker,
    owned_assignment,
    owned_hit,
    submitted_assignment,
)
from marketplace.protocol.errors import ParameterInvalid, RequestError, ValueInvalid
from marketplace.protocol.paging import page_by_id
from marketplace.protocol.registry import Answer, Call, operation
from marketplace.services.bonuses import send_bonus

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import (
        ListBonusPaymentsRequestTypeDef,
        SendBonusRequestTypeDef,
    )

LARGEST_BONUS = Decimal(10_000)


@operation("SendBonus")
def answer_send_bonus(call: Call[SendBonusRequestTypeDef]) -> Answer:
    given = call.parameters
    worker = known_worker(given["WorkerId"])
    assignment = submitted_assignment(call.requester, given["AssignmentId"])
    if assignment.worker_id != worker.pk:
        raise RequestError(
            f"Assignment {assignment.assignment_id} is not of worker {worker.worker_id}.",
            "AssignmentDoesNotExist",
        )
    if not given["Reason"].strip():
        raise ValueInvalid(given["Reason"], "Reason", "The worker reads it: say what it is for.")
    send_bonus(
        requester=call.requester,
        assignment=assignment,
        amount_usd=_amount(given["BonusAmount"]),
        reason=given["Reason"],
        token=given.get("UniqueRequestToken"),
        at=call.at,
    )
    return {}


@operation("ListBonusPayments")
def list_bonus_payments(call: Call[ListBonusPaymentsRequestTypeDef]) -> Answer:
    """Of a HIT or of an assignment, newest first."""
    given = call.parameters
    if ("HITId" in given) == ("AssignmentId" in given):
        raise ParameterInvalid("Give either HITId or AssignmentId.")
    if "HITId" in given:
        rows = Bonus.objects.filter(assignment__hit=owned_hit(call.requester, given["HITId"]))
    else:
        rows = owned_assignment(call.requester, given["AssignmentId"]).bonuses.all()
    found, token = page_by_id(rows.select_related("assignment__worker"), call)
    answers = [_bonus_answer(bonus) for bonus in found]
    return {"NextToken": token, "NumResults": len(answers), "BonusPayments": answers}


def _amount(text: str) -> Decimal:
    if len(text) > 20 or not 0 < Decimal(text) <= LARGEST_BONUS:
        why = f"It must be from 0.01 to {LARGEST_BONUS}."
        raise ValueInvalid(text, "BonusAmount", why)
    return Decimal(text).quantize(Decimal("0.01"))


def _bonus_answer(bonus: Bonus) -> dict[str, object]:
    return {
        "WorkerId": bonus.assignment.worker.worker_id,
        "BonusAmount": bonus.amount_usd,
        "AssignmentId": bonus.assignment.assignment_id,
        "Reason": bonus.reason,
        "GrantTime": bonus.granted_at,
    }
