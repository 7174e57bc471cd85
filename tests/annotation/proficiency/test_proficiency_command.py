import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Decision
from studies.models import Participant, Payment
from tests.annotation.proficiency.conftest import Marketplace
from tests.annotation.proficiency.work import make_reviewed_round, make_workers, work
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("proficiency", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def report(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--format", "json"))


def test_every_worker_is_listed_with_evidence_and_standing() -> None:
    people = make_workers()

    said = report(people["able"].study.slug, "--extra", "2")

    rows = {row["pseudonym"]: row for row in said["workers"]}
    able, still_open = rows[people["able"].pseudonym], rows[people["open"].pseudonym]
    low, high = able.pop("interval")
    assert able == {
        "pseudonym": people["able"].pseudonym,
        "n": 20,
        "e": 6,
        "reviewed": 6,
        "rejected": 1,
        "rate": pytest.approx(1 / 6),
        "standing": "proficient",
        "needed": "",
        "with_extra": {
            "reviews": 2,
            "possible": ["proficient", "not_proficient"],
            "proficient_with_at_most_rejected": 0,
        },
    }
    # Wilson's interval of one in six.
    assert (low, high) == (pytest.approx(0.0301, abs=1e-4), pytest.approx(0.5635, abs=1e-4))
    assert (still_open["standing"], still_open["needed"]) == ("undecided", "2 more reviews")
    assert said["workers"][0]["n"] == 20
    assert said["rule"] == {"min_responses": 20, "max_rejected_share": "0.200"}


def test_looking_changes_nothing_and_says_what_applying_would_do() -> None:
    people = make_workers()

    text = run(people["able"].study.slug)

    assert "3 workers: 1 proficient, 1 not proficient, 1 undecided." in text
    assert "Nothing is changed; --apply would do this: 3 decisions, newly proficient 1" in text
    assert "40 assignments approved ($16.80)" in text
    assert not Decision.objects.exists()
    assert not Payment.objects.exists()


def test_applying_acts_once_however_often_it_is_asked_for(marketplace: Marketplace) -> None:
    people = make_workers()
    slug = people["able"].study.slug

    first, again = report(slug, "--apply"), report(slug, "--apply")

    assert (first["changes"]["written"], first["changes"]["approved"]) == (3, 40)
    assert not any(again["changes"][name] for name in ("written", "granted", "accepted"))
    assert marketplace.holders == {people["able"].worker.marketplace_id}
    assert len(marketplace.approved) == 40
    assert Decision.objects.count() == 3


def test_workers_are_named_by_pseudonym_alone(marketplace: Marketplace) -> None:
    people = make_workers()

    said = run(people["able"].study.slug, "--apply")

    assert people["able"].pseudonym in said
    for participant in Participant.objects.select_related("worker"):
        assert participant.worker.marketplace_id not in said


def test_a_worker_with_few_responses_is_told_how_many_are_missing() -> None:
    round = make_reviewed_round(workers=1)
    work(round, count=3)

    said = report(round.study.slug)

    assert said["workers"][0]["needed"] == "17 more responses, 1 more review"
    assert said["workers"][0]["rate"] is None
    assert said["workers"][0]["interval"] == [0.0, 1.0]


def test_a_study_without_responses_says_so() -> None:
    assert "No worker has responses" in run(make_study().slug)


@pytest.mark.parametrize("arguments", [("nowhere",), ("moods", "--extra", "0")])
def test_what_it_cannot_do_is_said(arguments: tuple[str, ...]) -> None:
    make_study(slug="moods")

    with pytest.raises(CommandError, match="There is no study|--extra is a whole number"):
        run(*arguments)
