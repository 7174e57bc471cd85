"""Launching a round of ratings in the admin: the form, the review with its cost, the launch."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from evaluation.models import Item, RatingRound
from studies.models import ContributionStatus, Job, Round, Study
from tests.evaluation.rating_rounds import launched, rate
from tests.evaluation.test_rating_round import endings, inference
from tests.evaluation.test_rating_sources import make_run
from tests.studies import factories as make
from tests.studies.members import make_member

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    seen: list[Job] = []

    def keep(job: Job) -> Job:
        seen.append(job)
        return job

    monkeypatch.setattr("studies.tasks.wake", keep)
    return seen


@pytest.fixture
def study() -> Study:
    return make.make_study()


@pytest.fixture
def lea(study: Study) -> Client:
    client = Client()
    client.force_login(make_member(study, name="lea"))
    return client


def form_of(client: Client, study: Study) -> tuple[str, dict[str, Any]]:
    address = reverse("admin:evaluation_launch", args=[study.pk])
    form = client.get(address).context["form"]
    fields = {name: form[name].value() for name in form.fields}
    given = {name: form.fields[name].prepare_value(value) for name, value in fields.items()}
    return address, {name: value for name, value in given.items() if value not in (None, False)}


def file_of(rows: list[dict[str, Any]]) -> SimpleUploadedFile:
    return SimpleUploadedFile("outputs.jsonl", "\n".join(map(json.dumps, rows)).encode())


def instrument(slug: str) -> int:
    from evaluation.services.instruments import find_instrument

    return find_instrument(slug).pk


def test_a_round_is_reviewed_with_its_cost_and_launched_once(
    lea: Client, study: Study, woken: list[Job]
) -> None:
    address, given = form_of(lea, study)
    given |= {"instrument": instrument("pairwise"), "items": file_of(endings(4)), "sample": 3}

    sent = lea.post(address, given)
    assert sent.status_code == 303, sent.content.decode()
    review = lea.get(sent["Location"])
    page = review.content.decode()
    assert review.context["estimate"].slots == 9
    assert "omega-7b" in page
    assert "$0.90" in page
    assert not Round.objects.exists()
    back = lea.get(f"{address}?from={sent['Location'].rstrip('/').rpartition('/')[2]}")
    assert "Kept from before: outputs.jsonl" in back.content.decode()
    assert back.context["form"]["sample"].value() == "3"

    launched = lea.post(sent["Location"])
    again = lea.post(sent["Location"])

    assert launched["Location"] == again["Location"]
    made = RatingRound.objects.get()
    assert launched["Location"] == reverse("admin:studies_round_change", args=[made.round.pk])
    assert (made.sample, Item.objects.count(), len(woken)) == (3, 3, 1)


def test_what_is_wrong_with_the_file_is_told_beside_it(lea: Client, study: Study) -> None:
    address, given = form_of(lea, study)
    given |= {"instrument": instrument("pairwise"), "items": file_of([inference()])}

    refused = lea.post(address, given)

    assert refused.status_code == 422
    assert "outputs.jsonl: Row 1, column story" in refused.content.decode()
    nothing = lea.post(address, given | {"items": ""})
    assert "Say what is to be rated" in nothing.content.decode()
    runs = [str(make_run(study, ["The end."]).pk)]
    both = lea.post(address, given | {"items": file_of(endings(1)), "runs": runs})
    assert "Choose one of these alone" in both.content.decode()
    unpaid = lea.post(address, given | {"items": file_of(endings(1)), "reward_usd": "0"})
    assert lea.post(unpaid["Location"]).status_code == 422
    assert lea.post(unpaid["Location"], {"unpaid": "on"}).status_code == 303


def test_a_round_above_the_budget_is_launched_once_its_box_is_ticked(
    lea: Client, study: Study
) -> None:
    Study.objects.update(budget_usd="0.10")
    address, given = form_of(lea, study)
    given |= {"instrument": instrument("pairwise"), "items": file_of(endings(4))}
    review = lea.post(address, given)["Location"]

    asked = lea.post(review)
    assert asked.status_code == 422
    assert "Tick the box to launch it." in asked.content.decode()
    assert not Round.objects.exists()

    assert lea.post(review, {"above_budget": "on"}).status_code == 303
    assert Round.objects.count() == 1


def test_the_page_of_a_round_tells_what_raters_know(lea: Client, study: Study) -> None:
    round = launched(study, "state-inference", [inference(gold={"inferable": 1})])
    sent = rate(round, "R1", lambda shown: {"inferable": 4})

    page = lea.get(reverse("admin:evaluation_ratinground_change", args=[round.rating_round.pk]))

    assert page.status_code == 200
    pseudonym = study.participants.get().pseudonym
    assert pseudonym in page.content.decode()
    assert lea.get(reverse("admin:evaluation_ratinground_changelist")).status_code == 200
    response = lea.get(reverse("admin:studies_response_change", args=[sent.pk])).content.decode()
    assert "Extremely likely" in response
    assert "input-a" in response
    items = reverse("admin:evaluation_item_changelist")
    assert lea.get(f"{items}?task__round__id__exact={round.pk}").status_code == 200


def test_the_page_of_a_round_counts_apart_what_was_withdrawn(lea: Client, study: Study) -> None:
    round = launched(study, "state-inference", [inference()])
    sent = [rate(round, f"R{n}", lambda shown: {"inferable": 4}) for n in range(2)]
    address = reverse("admin:evaluation_ratinground_change", args=[round.rating_round.pk])

    assert "<dd>2</dd>" in lea.get(address).content.decode()

    sent[0].contributions.update(status=ContributionStatus.WITHDRAWN)

    assert "<dd>1 · 1 more withdrawn</dd>" in lea.get(address).content.decode()


def test_strangers_find_nothing(study: Study) -> None:
    omar = Client()
    omar.force_login(make_member(make.make_study(), name="omar"))
    assert omar.get(reverse("admin:evaluation_launch", args=[study.pk])).status_code == 404
    unknown = reverse("admin:evaluation_launch_review", args=["unknown"])
    assert omar.get(unknown).status_code == 404
