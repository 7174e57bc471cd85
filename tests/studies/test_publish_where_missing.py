from datetime import timedelta

import pytest
from django.utils import timezone

from studies.models import Job, JobState, Round, RoundState
from studies.services.republishing import MOST_FAILURES, next_try, publish_where_missing
from tests.studies import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def round() -> Round:
    """With a slot as after a spent one was replaced: nobody has published the new one yet."""
    made = make.make_round()
    made.slots.create()
    return made


def end(round: Round, state: JobState, *, minutes_ago: float = 0) -> None:
    waiting = Job.objects.filter(payload={"round": round.pk}, state=JobState.QUEUED)
    ended_at = timezone.now() - timedelta(minutes=minutes_ago)
    assert waiting.update(state=state, finished_at=ended_at)


def in_state(round: Round, state: RoundState) -> Round:
    Round.objects.filter(pk=round.pk).update(state=state)
    round.refresh_from_db()
    return round


def test_an_open_round_with_an_unpublished_slot_gets_a_job(round: Round) -> None:
    make.make_round()

    jobs = publish_where_missing()

    assert [job.payload for job in jobs] == [{"round": round.pk}]


def test_while_somebody_publishes_the_round_there_is_no_second_job(round: Round) -> None:
    publish_where_missing()

    assert publish_where_missing() == []
    end(round, JobState.DONE)
    assert len(publish_where_missing()) == 1
    end(round, JobState.DONE)
    in_state(round, RoundState.PAUSED)
    assert publish_where_missing() == []


@pytest.mark.parametrize("state", [RoundState.PUBLISHING, RoundState.OPEN])
def test_after_a_failure_it_is_tried_again_with_longer_and_longer_waits(
    round: Round, state: RoundState
) -> None:
    in_state(round, state)
    publish_where_missing()
    for wait in (1, 2, 4, 8):
        end(round, JobState.FAILED, minutes_ago=wait - 0.1)
        assert publish_where_missing() == []
        Job.objects.update(finished_at=timezone.now() - timedelta(minutes=wait))
        assert len(publish_where_missing()) == 1


def test_after_too_many_failures_in_a_row_somebody_has_to_look(round: Round) -> None:
    in_state(round, RoundState.PUBLISHING)
    for _ in range(MOST_FAILURES):
        assert len(publish_where_missing()) == 1
        end(round, JobState.FAILED, minutes_ago=60)

    assert publish_where_missing() == []
    assert next_try(round) is None

    # Somebody paused and resumed it.
    Job.objects.create(kind="publish_round", study=round.study, payload={"round": round.pk})
    end(round, JobState.DONE)
    assert len(publish_where_missing()) == 1


def test_publishing_that_somebody_stopped_stays_stopped(round: Round) -> None:
    publish_where_missing()
    end(round, JobState.CANCELLED)

    assert next_try(in_state(round, RoundState.PUBLISHING)) is None
    assert publish_where_missing() == []
    in_state(round, RoundState.OPEN)
    assert len(publish_where_missing()) == 1
