"""A result file that was imported wrongly is taken back, and nothing of it is lost."""

import json
from collections.abc import Sequence
from io import BytesIO, StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from config.models import AuditEntry
from evaluation.models import Item, Rating, ResultFile
from evaluation.result_files.mapping import usual_map
from evaluation.services.importing import Reading, import_results
from evaluation.services.instruments import find_instrument
from evaluation.services.withdrawing import AlreadyWithdrawn, WithdrawalRefused, withdraw_results
from studies.models import Study
from tests.evaluation.published import values_of
from tests.evaluation.result_file import four_items, rating, result_file
from tests.studies.factories import make_study
from tests.studies.members import make_member

pytestmark = pytest.mark.django_db
GOOD = result_file(four_items())
RIGHT = {"accuracy": 75.0, "contrastive": 50.0}


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


@pytest.fixture
def wrong(study: Study) -> ResultFile:
    """Imported under another system's name, and read in the reverse order."""
    return bring(study, system="t5-large", reverse=("inferable",))


def bring(
    study: Study, *, system: str = "people", reverse: Sequence[str] = (), content: bytes = GOOD
) -> ResultFile:
    instrument = find_instrument("state-inference")
    reading = Reading(instrument, system, usual_map(instrument.declared), reverse)
    import_results(study=study, source=BytesIO(content), name="people.csv", reading=reading)
    return ResultFile.objects.latest("pk")


def command(*arguments: str) -> Any:
    out = StringIO()
    call_command("withdraw_results", *arguments, "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def test_what_is_withdrawn_counts_no_more_and_stays(study: Study, wrong: ResultFile) -> None:
    withdraw_results(file=wrong, why=" The system was another one. ", user=make_member(study))

    wrong.refresh_from_db()
    assert wrong.withdrawn_at is not None and wrong.withdrawn_by is not None
    assert wrong.withdrawn_why == "The system was another one."
    assert (Item.objects.count(), Rating.objects.count()) == (4, 12)
    with pytest.raises(CommandError, match="no ratings for “state_inference”"):
        values_of("state_inference", "evenings")


def test_the_same_file_can_be_imported_again(study: Study, wrong: ResultFile) -> None:
    withdraw_results(file=wrong, why="The system was another one.")

    again = bring(study)

    assert values_of("state_inference", "evenings") == RIGHT
    assert again.sha256 == wrong.sha256
    with pytest.raises(CommandError, match="no system “t5-large” .* Known: people"):
        values_of("state_inference", "evenings", "--system", "t5-large")


def test_it_is_withdrawn_once_and_for_a_reason(study: Study, wrong: ResultFile) -> None:
    for nothing in (" ", "x" * 501):
        with pytest.raises(WithdrawalRefused, match="Say why"):
            withdraw_results(file=wrong, why=nothing)
    withdraw_results(file=wrong, why="The system was another one.")

    with pytest.raises(AlreadyWithdrawn, match="people.csv was withdrawn on .*: “The system was"):
        withdraw_results(file=wrong, why="Once more.")
    wrong.refresh_from_db()
    assert wrong.withdrawn_why == "The system was another one."


# --- By command ---------------------------------------------------------------------------------
def test_the_command_names_a_file_by_its_name_or_hash(study: Study, wrong: ResultFile) -> None:
    told = command("evenings", "people.csv", "--why", "Read in the reverse order.")
    again = bring(study)

    assert told == {
        "file": "people.csv",
        "sha256": wrong.sha256,
        "system": "t5-large",
        "rival": "",
        "items": 4,
        "ratings": 12,
        "why": "Read in the reverse order.",
    }
    assert command("evenings", wrong.sha256, "--why", "Once more.")["system"] == "people"
    again.refresh_from_db()
    assert again.withdrawn_why == "Once more."


def test_the_command_refuses_in_a_sentence(study: Study, wrong: ResultFile) -> None:
    with pytest.raises(CommandError, match="no result file “none.csv”. Known: people.csv"):
        command("evenings", "none.csv", "--why", "Wrong.")
    with pytest.raises(CommandError, match="Say why.* Nothing was withdrawn"):
        command("evenings", "people.csv", "--why", " ")
    bring(study, content=result_file([rating("HIT9", "W9", 1)]))
    with pytest.raises(CommandError, match=f"Give a hash: .*{wrong.sha256}"):
        command("evenings", "people.csv", "--why", "Wrong.")


# --- In the admin -------------------------------------------------------------------------------
def page(file: ResultFile) -> str:
    return reverse("admin:evaluation_resultfile_change", args=[file.pk])


def test_a_researcher_is_asked_and_then_withdraws(study: Study, wrong: ResultFile) -> None:
    client = Client()
    client.force_login(researcher := make_member(study))
    address = reverse("admin:evaluation_results_withdraw", args=[wrong.pk])
    assert address in client.get(page(wrong)).content.decode()
    assert "12 ratings of 4 items of t5-large" in client.get(address).content.decode()
    assert client.post(address, {"why": ""}).status_code == 422

    answer = client.post(address, {"why": "The system was another one."})

    assert answer["Location"] == page(wrong)
    shown = client.get(page(wrong)).content.decode()
    assert "The system was another one." in shown and address not in shown
    entry = AuditEntry.objects.get(action="evaluation_results_withdraw")
    assert entry.actor == researcher.username and "another one" in str(entry.detail)
    item = wrong.items.all()[0]
    html = client.get(reverse("admin:evaluation_item_change", args=[item.pk])).content.decode()
    assert "is withdrawn: no report counts it" in html

    client.post(address, {"why": "Once more."})
    wrong.refresh_from_db()
    assert wrong.withdrawn_why == "The system was another one."


def test_others_cannot_withdraw(study: Study, wrong: ResultFile) -> None:
    client = Client()
    client.force_login(make_member(make_study()))
    address = reverse("admin:evaluation_results_withdraw", args=[wrong.pk])

    assert client.post(address, {"why": "Not mine."}).status_code == 404
    assert client.get(page(wrong)).status_code == 404
