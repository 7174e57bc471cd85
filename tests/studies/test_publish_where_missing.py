import pytest

from studies.models import Job, JobState, Round, RoundState
from studies.services.publishing import publish_where_missing
from tests.studies import factories as make

pytestmark = pytest.mark.django_db


def round_with_a_new_slot() -> Round:
    """As after a spent slot was replaced: nobody has published the new one yet."""
    round = make.make_round()
    round.slots.create()
    return round


def test_an_open_round_with_an_unpublished_slot_gets_a_job() -> None:
    round = round_with_a_new_slot()
    make.make_round()

    jobs = publish_where_missing()

    assert [job.payload for job in jobs] == [{"round": round.pk}]


def test_while_somebody_publishes_the_round_there_is_no_second_job() -> None:
    round = round_with_a_new_slot()
    [job] = publish_where_missing()

    assert publish_where_missing() == []
    Job.objects.filter(pk=job.pk).update(state=JobState.DONE)
    assert len(publish_where_missing()) == 1
    Job.objects.update(state=JobState.DONE)
    Round.objects.filter(pk=round.pk).update(state=RoundState.PAUSED)
    assert publish_where_missing() == []
