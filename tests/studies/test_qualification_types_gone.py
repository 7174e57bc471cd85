"""A script with our keys has deleted qualification types of ours."""

from typing import Any

import pytest

from marketplace.models import HITType, QualificationGrant, QualificationType, Worker
from studies.jobs import JobLater
from studies.models import Eligibility, Hold, Participant, Round
from studies.services import holds, publishing, settlement
from studies.services.qualification import apply_qualifications, grant_qualification
from tests.marketplace.conftest import answer_in_process
from tests.marketplace.factories import make_worker
from tests.studies import factories as make


@pytest.fixture
def round(boto: Any) -> Round:
    boto.meta.events.register("before-send", answer_in_process)
    made = make.make_round()
    Round.objects.update(
        eligibility=Eligibility.PROFICIENT, hit_type_id="", hold_qualification_type_id=""
    )
    made.refresh_from_db()
    return made


@pytest.fixture
def proficient(round: Round) -> Participant:
    participant = make.make_participant(round, make_worker().worker_id)
    grant_qualification(participants=[participant])
    apply_qualifications()
    return participant


def delete_all(boto: Any) -> None:
    for one in QualificationType.objects.kept():
        boto.delete_qualification_type(QualificationTypeId=one.qualification_type_id)


def held_of(participant: Participant) -> list[str]:
    """The names of the kept types that the worker holds."""
    worker = Worker.objects.get(worker_id=participant.worker.marketplace_id)
    granted = QualificationGrant.objects.filter(worker=worker, qualification_type__deleted_at=None)
    return list(granted.values_list("qualification_type__name", flat=True))


def test_who_is_proficient_gets_the_one_that_is_made_anew(
    boto: Any, round: Round, proficient: Participant
) -> None:
    delete_all(boto)
    other = make.make_participant(round, make_worker().worker_id)
    grant_qualification(participants=[other])

    for _ in range(2):
        apply_qualifications()

    (kept,) = QualificationType.objects.kept()
    assert held_of(proficient) == held_of(other) == [kept.name]
    round.study.refresh_from_db()
    assert round.study.qualification_type_id == kept.qualification_type_id


def test_a_round_for_them_is_published_at_the_next_try(
    boto: Any, round: Round, proficient: Participant
) -> None:
    delete_all(boto)
    round.refresh_from_db()
    with pytest.raises(JobLater):
        publishing._prepare(round)

    round = Round.objects.get()
    publishing._prepare(round)
    apply_qualifications()

    asked = HITType.objects.get(hit_type_id=round.hit_type_id).requirements
    wanted = set(asked.values_list("qualification_type_id", flat=True))
    kept = QualificationType.objects.kept().filter(qualification_type_id__in=wanted)
    assert kept.count() == 2
    assert kept.get(name__startswith="Proficient").name in held_of(proficient)


def test_a_hold_that_nobody_can_grant_is_not_tried_again(boto: Any, round: Round) -> None:
    publishing._prepare(round)
    delete_all(boto)
    holds.hold_back(round=round, participant=make.make_participant(round, make_worker().worker_id))

    settlement.apply_holds()

    assert Hold.objects.get().applied
    assert settlement.apply_holds() == 0
