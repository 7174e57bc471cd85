from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.db.models import Q

from marketplace.eligibility import APPROVAL_RATE, APPROVED_COUNT, LOCALE
from marketplace.errors import InvalidState
from marketplace.models import QualificationGrant, QualificationType
from marketplace.operations.owned import (
    known_qualification_type,
    known_worker,
    owned_qualification_type,
)
from marketplace.protocol.errors import ParameterInvalid, RequestError
from marketplace.protocol.paging import page_by_id
from marketplace.protocol.registry import Answer, Call, operation
from marketplace.services.qualifications import grant_qualification, withdraw_qualification

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import (
        AssociateQualificationWithWorkerRequestTypeDef,
        CreateQualificationTypeRequestTypeDef,
        DeleteQualificationTypeRequestTypeDef,
        DisassociateQualificationFromWorkerRequestTypeDef,
        GetQualificationScoreRequestTypeDef,
        GetQualificationTypeRequestTypeDef,
        ListQualificationTypesRequestTypeDef,
        ListWorkersWithQualificationTypeRequestTypeDef,
        UpdateQualificationTypeRequestTypeDef,
    )

# Workers cannot ask for a qualification here yet, so what only matters then is refused; but not how
# long they wait before they ask again.
ON_REQUEST = (
    "Test",
    "AnswerKey",
    "TestDurationInSeconds",
    "AutoGrantedValue",
)

# Name and description of those that everybody has.
SYSTEM_TYPES = {
    APPROVED_COUNT: (
        "Worker_NumberHITsApproved",
        "The number of HITs of the worker that were approved, here and before.",
    ),
    APPROVAL_RATE: (
        "Worker_PercentAssignmentsApproved",
        "The percentage of the worker's decided assignments that were approved.",
    ),
    LOCALE: ("Worker_Locale", "The country of the worker, and the subdivision where known."),
}


@operation("CreateQualificationType")
def create_qualification_type(call: Call[CreateQualificationTypeRequestTypeDef]) -> Answer:
    given = call.parameters
    _refuse_requests(given)
    try:
        with transaction.atomic():
            created = QualificationType.objects.create(
                requester=call.requester,
                name=given["Name"],
                description=given["Description"],
                keywords=given.get("Keywords", ""),
                status=given["QualificationTypeStatus"],
            )
    except IntegrityError as error:
        raise RequestError(
            "You have already created a QualificationType with this name. "
            "A QualificationType's name must be unique among all of the QualificationTypes "
            "created by the same user.",
            "QualificationTypeAlreadyExists",
        ) from error
    return {"QualificationType": _type_answer(created)}


@operation("GetQualificationType")
def get_qualification_type(call: Call[GetQualificationTypeRequestTypeDef]) -> Answer:
    """Of anybody: who wants to require a type may look at it."""
    type_id = call.parameters["QualificationTypeId"]
    if type_id in SYSTEM_TYPES:
        return {"QualificationType": _system_type_answer(type_id)}
    return {"QualificationType": _type_answer(known_qualification_type(type_id))}


@operation("ListQualificationTypes")
def list_qualification_types(call: Call[ListQualificationTypesRequestTypeDef]) -> Answer:
    """The caller's own, whatever else is asked for: names that others gave tell of their studies.
    That workers can ask for none is no reason not to find it, by which scripts look it up."""
    rows = QualificationType.objects.kept().filter(requester=call.requester)
    for word in call.parameters.get("Query", "").split():
        rows = rows.filter(
            Q(name__icontains=word) | Q(keywords__icontains=word) | Q(description__icontains=word)
        )
    found, token = page_by_id(rows, call)
    answers = [_type_answer(one) for one in found]
    return {"NextToken": token, "NumResults": len(answers), "QualificationTypes": answers}


@operation("UpdateQualificationType")
def update_qualification_type(call: Call[UpdateQualificationTypeRequestTypeDef]) -> Answer:
    """What is left out stays."""
    given = call.parameters
    owned = owned_qualification_type(call.requester, given["QualificationTypeId"])
    _refuse_requests(given)
    changed = []
    if "Description" in given:
        owned.description = given["Description"]
        changed.append("description")
    if "QualificationTypeStatus" in given:
        owned.status = given["QualificationTypeStatus"]
        changed.append("status")
    owned.save(update_fields=changed)
    return {"QualificationType": _type_answer(owned)}


@operation("DeleteQualificationType")
def delete_qualification_type(call: Call[DeleteQualificationTypeRequestTypeDef]) -> Answer:
    owned = owned_qualification_type(call.requester, call.parameters["QualificationTypeId"])
    owned.deleted_at = call.at
    owned.save(update_fields=["deleted_at"])
    return {}


@operation("AssociateQualificationWithWorker")
def associate_qualification_with_worker(
    call: Call[AssociateQualificationWithWorkerRequestTypeDef],
) -> Answer:
    given = call.parameters
    grant_qualification(
        qualification_type=owned_qualification_type(call.requester, given["QualificationTypeId"]),
        worker=known_worker(given["WorkerId"]),
        value=given.get("IntegerValue", 1),
        notify=given.get("SendNotification", True),
        at=call.at,
    )
    return {}


@operation("DisassociateQualificationFromWorker")
def disassociate_qualification_from_worker(
    call: Call[DisassociateQualificationFromWorkerRequestTypeDef],
) -> Answer:
    given = call.parameters
    withdraw_qualification(
        qualification_type=owned_qualification_type(call.requester, given["QualificationTypeId"]),
        worker=known_worker(given["WorkerId"]),
        reason=given.get("Reason", ""),
    )
    return {}


@operation("GetQualificationScore")
def get_qualification_score(call: Call[GetQualificationScoreRequestTypeDef]) -> Answer:
    owned = owned_qualification_type(call.requester, call.parameters["QualificationTypeId"])
    worker = known_worker(call.parameters["WorkerId"])
    grant = owned.grants.filter(worker=worker).select_related("worker", "qualification_type")
    found = grant.first()
    if found is None:
        raise RequestError(
            "You requested a Qualification that does not exist.", "QualificationDoesNotExist"
        )
    if found.status != QualificationGrant.Status.GRANTED:
        raise InvalidState("InvalidQualificationState", QualificationGrant.Status.GRANTED)
    return {"Qualification": _grant_answer(found)}


@operation("ListWorkersWithQualificationType")
def list_workers_with_qualification_type(
    call: Call[ListWorkersWithQualificationTypeRequestTypeDef],
) -> Answer:
    owned = owned_qualification_type(call.requester, call.parameters["QualificationTypeId"])
    status = call.parameters.get("Status", QualificationGrant.Status.GRANTED)
    rows = owned.grants.filter(status=status).select_related("worker", "qualification_type")
    found, token = page_by_id(rows, call)
    answers = [_grant_answer(grant) for grant in found]
    return {"NextToken": token, "NumResults": len(answers), "Qualifications": answers}


def _refuse_requests(
    given: CreateQualificationTypeRequestTypeDef | UpdateQualificationTypeRequestTypeDef,
) -> None:
    for name in ON_REQUEST:
        if name in given:
            raise ParameterInvalid(f"{name} is not available yet on this marketplace.")
    if given.get("AutoGranted"):
        raise ParameterInvalid("AutoGranted is not available yet on this marketplace.")


def _type_answer(qualification_type: QualificationType) -> dict[str, object]:
    return {
        "QualificationTypeId": qualification_type.qualification_type_id,
        "CreationTime": qualification_type.created_at,
        "Name": qualification_type.name,
        "Description": qualification_type.description,
        "Keywords": qualification_type.keywords or None,
        "QualificationTypeStatus": qualification_type.status,
        "IsRequestable": False,
        "AutoGranted": False,
    }


def _system_type_answer(type_id: str) -> dict[str, object]:
    name, description = SYSTEM_TYPES[type_id]
    return {
        "QualificationTypeId": type_id,
        "Name": name,
        "Description": description,
        "QualificationTypeStatus": QualificationType.Status.ACTIVE,
        "IsRequestable": False,
        "AutoGranted": False,
    }


def _grant_answer(grant: QualificationGrant) -> dict[str, object]:
    return {
        "QualificationTypeId": grant.qualification_type.qualification_type_id,
        "WorkerId": grant.worker.worker_id,
        "GrantTime": grant.granted_at,
        "IntegerValue": grant.value,
        "Status": grant.status,
    }
