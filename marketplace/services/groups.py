"""What a worker may see and accept, and why not."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone

from database.prepared import prepared
from marketplace.eligibility import (
    APPROVAL_RATE,
    APPROVED_COUNT,
    Requirement,
    Unmet,
    WorkerFacts,
    blocked,
    is_met,
    unmet_requirements,
)
from marketplace.models import (
    Assignment,
    HITType,
    QualificationGrant,
    QualificationRequirement,
    QualificationType,
    Worker,
    WorkerBlock,
)
from marketplace.models.hit_type import ActionsGuarded

COUNTED = {APPROVED_COUNT, APPROVAL_RATE}


@dataclass(frozen=True)
class HITGroup:
    """One line of the worker's list; `held` is the worker's unfinished assignment of the group."""

    hit_type: HITType
    unmet: tuple[Unmet, ...]
    held: Assignment | None = None

    @property
    def available(self) -> int:
        return self.hit_type.available_count

    @property
    def can_accept(self) -> bool:
        return not self.unmet

    @property
    def can_preview(self) -> bool:
        return all(u.guards == ActionsGuarded.ACCEPT for u in self.unmet)

    @property
    def is_hidden(self) -> bool:
        return any(u.guards == ActionsGuarded.DISCOVER_PREVIEW_AND_ACCEPT for u in self.unmet)


def hit_groups_open_to(worker: Worker, *, at_most: int = 200) -> list[HITGroup]:
    """Groups with something to accept, newest first, without those hidden from this worker."""
    hit_types = list(
        _hit_types_for(worker)
        .filter(available_count__gt=0)
        .prefetch_related("requirements")
        .order_by("-id")[:at_most]
    )
    held = held_by_group(worker)
    facts = facts_of(worker)
    names = _names(r.qualification_type_id for t in hit_types for r in t.requirements.all())
    groups = (
        HITGroup(
            hit_type,
            _block_of(hit_type)
            + unmet_requirements(_as_values(hit_type.requirements.all(), names), facts),
            held.get(hit_type.pk),
        )
        for hit_type in hit_types
    )
    return [group for group in groups if not group.is_hidden]


def hit_group(worker: Worker, *, group_id: str) -> HITGroup:
    """One group, open or not, hidden or not. Raises HITType.DoesNotExist."""
    hit_type = _hit_types_for(worker).get(group_id=group_id)
    unmet = _block_of(hit_type) + unmet_by(worker, group_id=group_id)
    return HITGroup(hit_type, unmet, held_by_group(worker).get(hit_type.pk))


def _hit_types_for(worker: Worker) -> QuerySet[HITType]:
    """With `is_blocked`: whether their requester has blocked the worker."""
    blocks = WorkerBlock.objects.filter(worker=worker, requester=OuterRef("requester"))
    return HITType.objects.select_related("requester").annotate(is_blocked=Exists(blocks))


def _block_of(hit_type: HITType) -> tuple[Unmet, ...]:
    return (blocked(),) if cast(Any, hit_type).is_blocked else ()


def held_by_group(worker: Worker) -> dict[int, Assignment]:
    held = worker.assignments.held(timezone.now()).select_related("hit__hit_type__requester")
    return {assignment.hit.hit_type_id: assignment for assignment in held}


def unmet_by(worker: Worker, *, group_id: str) -> tuple[Unmet, ...]:
    requirements = _requirements(group_id=group_id, worker=worker.pk)
    if not requirements:
        return ()
    granted = {r.qualification_type_id: cast(Any, r).granted for r in requirements}
    facts = _facts(
        worker,
        done={} if COUNTED.isdisjoint(granted) else _decided(worker),
        granted={name: value for name, value in granted.items() if value is not None},
    )
    if all(is_met(requirement, facts) for requirement in _as_values(requirements, {})):
        return ()
    return unmet_requirements(_as_values(requirements, _names(granted)), facts)


@prepared
def _requirements(*, group_id: str, worker: int) -> QuerySet[QualificationRequirement]:
    """With `granted`: the value of the worker's qualification, if they have it."""
    value = _grants(worker).filter(
        qualification_type__qualification_type_id=OuterRef("qualification_type_id")
    )
    requirements = QualificationRequirement.objects.annotate(
        granted=Subquery(value.values("value"))
    )
    return requirements.filter(hit_type__group_id=group_id).order_by("position")


def facts_of(worker: Worker) -> WorkerFacts:
    granted = _grants(worker.pk).values_list("qualification_type__qualification_type_id", "value")
    return _facts(worker, done=_decided(worker), granted=dict(granted))


def _facts(worker: Worker, *, done: dict[str, int], granted: dict[str, int]) -> WorkerFacts:
    """The work done here and, with it, the earlier record."""
    return WorkerFacts(
        approved=worker.approved_before + done.get(Assignment.Status.APPROVED, 0),
        rejected=worker.rejected_before + done.get(Assignment.Status.REJECTED, 0),
        country=worker.country,
        subdivision=worker.subdivision,
        qualifications=granted,
    )


def _decided(worker: Worker) -> dict[str, int]:
    decided = worker.assignments.filter(status__in=Assignment.REVIEWED).order_by()
    return dict(decided.values_list("status").annotate(Count("pk")))


def _grants(worker: int) -> QuerySet[QualificationGrant]:
    return QualificationGrant.objects.filter(
        worker=worker, status=QualificationGrant.Status.GRANTED
    )


def _names(qualification_type_ids: Iterable[str]) -> dict[str, str]:
    wanted = QualificationType.objects.filter(qualification_type_id__in=set(qualification_type_ids))
    return dict(wanted.values_list("qualification_type_id", "name"))


def _as_values(
    requirements: Iterable[QualificationRequirement], names: dict[str, str]
) -> list[Requirement]:
    return [
        Requirement(
            qualification_type_id=r.qualification_type_id,
            comparator=r.comparator,
            integer_values=tuple(r.integer_values),
            locale_values=tuple(r.locale_values),
            actions_guarded=r.actions_guarded,
            name=names.get(r.qualification_type_id, ""),
        )
        for r in requirements
    ]
