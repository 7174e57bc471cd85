"""A worker takes back what they gave."""

import json
from array import array
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.releases.withdrawal import withdraw_participant
from studies.models import (
    Contribution,
    ContributionStatus,
    Payment,
    PaymentKind,
    Response,
    ResponseState,
)
from studies.services.payments import decide_payment
from studies.services.response_export import export_responses
from studies.services.response_sources import read_sources
from tests.annotation.releases.world import build, contribute
from tests.studies.factories import make_participant, make_round, make_study

FORMATS = ["pasta-jsonl", "jsonl", "csv"]
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


@pytest.mark.parametrize("fmt", FORMATS)
def test_exports_leave_them_out_and_count_them(fmt: str, tmp_path: Path) -> None:
    round = make_round(stories=3)
    leaving, staying = make_participant(round), make_participant(round)
    for participant in (leaving, leaving, staying):
        contribute(round, participant=participant)
    contribute(round, participant=leaving, state=ResponseState.UNCONFIRMED)
    withdraw_participant(participant=leaving)
    ids = array("q", Response.objects.values_list("pk", flat=True))

    told = export_responses(study=round.study, fmt=fmt, path=tmp_path / "out")

    assert (told.rows, told.left_out) == (1, {"unconfirmed": 1, "withdrawn": 2})
    text = (tmp_path / "out").read_text()
    assert leaving.pseudonym not in text
    assert text.count("The visitor is calm.") == 1
    # Those that were withdrawn when the export had begun already.
    assert len(list(read_sources(ids, fmt=fmt))) == 1


def test_their_work_is_paid_all_the_same() -> None:
    round = make_round(stories=3)
    given = contribute(round)
    participant = given.response.assignment.participant
    assert participant is not None

    withdraw_participant(participant=participant)

    decide_payment(assignments=[given.response.assignment], kind=PaymentKind.APPROVE)
    assert Payment.objects.get().assignment == given.response.assignment


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
