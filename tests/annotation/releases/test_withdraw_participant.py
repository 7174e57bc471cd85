"""A worker takes back what they gave."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.releases.withdrawal import withdraw_participant
from studies.models import Contribution, ContributionStatus, Response
from tests.annotation.releases.world import build, contribute
from tests.studies.factories import make_participant, make_round, make_study

pytestmark = pytest.mark.django_db


def command(*arguments: str) -> Any:
    out = StringIO()
    call_command("withdraw_participant", *arguments, "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def test_their_rows_leave_the_next_release_and_stay_in_those_that_are_there() -> None:
    study = make_study()
    round = make_round(study, stories=8)
    leaving, staying = make_participant(round), make_participant(round)
    for participant in (leaving, leaving, staying):
        contribute(round, participant=participant)
    contribute(round, participant=leaving, status=ContributionStatus.PENDING)
    elsewhere = contribute(make_round())
    first = build(study, "v1")

    told = withdraw_participant(participant=leaving)

    assert told.contributions == 3
    assert told.releases == [(first, 2)]
    second = build(study, "v2")
    assert second.rows.count() == 1 and first.rows.count() == 3
    assert Contribution.objects.get(pk=elsewhere.pk).status == ContributionStatus.ACCEPTED
    assert Response.objects.filter(assignment__participant=leaving).count() == 3


def test_it_can_be_looked_at_first_and_repeated() -> None:
    round = make_round(stories=4)
    worker = make_participant(round)
    contribute(round, participant=worker)
    contribute(round, participant=worker, status=ContributionStatus.REPLACED)
    build(round.study)
    asked = (round.study.slug, worker.pseudonym)

    looked = command(*asked, "--dry-run")
    done = command(*asked)
    again = command(*asked)

    assert looked["contributions"] == done["contributions"] == 1
    assert looked["releases"] == [{"name": "v1", "rows": 1}]
    assert again["contributions"] == 0 and again["releases"] == looked["releases"]


def test_a_worker_nobody_knows_is_said() -> None:
    study = make_study()

    with pytest.raises(CommandError, match="no worker"):
        command(study.slug, "w-nobody")
