"""Finds what belongs to the calling requester; what is someone else's does not exist for them."""

from django.db.models import QuerySet

from database.prepared import prepared
from marketplace.errors import InvalidState
from marketplace.models import HIT, Assignment, HITType, QualificationType, Requester, Worker
from marketplace.protocol.errors import RequestError

Status = Assignment.Status
SEEN_BY_REQUESTERS = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)
# As MTurk's refusal words them, from the time when a submitted one was called reviewable.
SEEN_IN_WORDS = ("Reviewable", "Approved", "Rejected")


def owned_hit_type(requester: Requester, hit_type_id: str) -> HITType:
    hit_type = _hit_type.first(requester=requester.pk, hit_type_id=hit_type_id)
    if hit_type is None:
        raise RequestError(f"Hit type {hit_type_id} does not exist.", "HITTypeDoesNotExist")
    hit_type.requester = requester
    return hit_type


@prepared
def _hit_type(*, requester: int, hit_type_id: str) -> QuerySet[HITType]:
    return HITType.objects.filter(requester=requester, hit_type_id=hit_type_id).order_by()


def owned_hit(requester: Requester, hit_id: str) -> HIT:
    hits = HIT.objects.filter(requester=requester, hit_id=hit_id)
    hit = hits.select_related("hit_type").prefetch_related("hit_type__requirements").first()
    if hit is None:
        raise RequestError(f"Hit {hit_id} does not exist.", "HITDoesNotExist")
    return hit


def owned_assignment(requester: Requester, assignment_id: str) -> Assignment:
    assignment = (
        Assignment.objects.filter(assignment_id=assignment_id, hit__requester=requester)
        .select_related("hit__hit_type", "worker")
        .prefetch_related("hit__hit_type__requirements")
        .first()
    )
    if assignment is None:
        raise RequestError(f"Assignment {assignment_id} does not exist.", "AssignmentDoesNotExist")
    return assignment


def submitted_assignment(requester: Requester, assignment_id: str) -> Assignment:
    """What was decided of it or not; raises InvalidState before the worker has submitted it."""
    assignment = owned_assignment(requester, assignment_id)
    if assignment.status not in SEEN_BY_REQUESTERS:
        raise InvalidState("InvalidAssignmentState", *SEEN_IN_WORDS)
    return assignment


def owned_qualification_type(requester: Requester, type_id: str) -> QualificationType:
    return _the_type(QualificationType.objects.kept().filter(requester=requester), type_id)


def known_qualification_type(type_id: str) -> QualificationType:
    """Whosever it is."""
    return _the_type(QualificationType.objects.kept(), type_id)


def _the_type(types: QuerySet[QualificationType], type_id: str) -> QualificationType:
    qualification_type = types.filter(qualification_type_id=type_id).first()
    if qualification_type is None:
        raise RequestError(
            f"Qualification type {type_id} does not exist.", "QualificationTypeDoesNotExist"
        )
    return qualification_type


def known_worker(worker_id: str) -> Worker:
    worker = Worker.objects.filter(worker_id=worker_id).first()
    if worker is None:
        raise RequestError(f"Worker {worker_id} does not exist.", "WorkerDoesNotExist")
    return worker
