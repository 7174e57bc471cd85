"""The admin's pages of releases."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from annotation.models import Release
from annotation.releases.jobs import BUILD, PACK, VERIFY, build_payload
from annotation.releases.rule import ReleaseRule
from studies import jobs
from studies.models import Contribution, ContributionStatus, Job, JobState, Study
from tests.annotation.releases.world import bring, build, contribute, past_rows
from tests.studies.factories import make_participant, make_round, make_study
from tests.studies_admin.conftest import StaffClient

pytestmark = pytest.mark.django_db
BUILD_PAGE = "/admin/annotation/release/build/"
LIST = "/admin/annotation/release/"


@pytest.fixture(autouse=True)
def own_files(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def evenings() -> Study:
    study = make_study(slug="evenings", title="Quiet evenings")
    bring(study, past_rows(60))
    return study


def asked(study: Study, **changes: Any) -> dict[str, Any]:
    return {
        "study": study.pk,
        "name": "v1",
        "train": "80",
        "validation": "12",
        "test": "8",
        "test_from": "any",
        "layout": "pasta-jsonl",
        "seed": "7",
    } | changes


def ask_to_build(client: Client, study: Study) -> Any:
    """By the button below what it would hold."""
    preview = client.get(BUILD_PAGE, {**asked(study), "step": "preview"}).content.decode()
    (seen,) = re.findall(r'name="seen" value="([^"]+)"', preview)
    return client.post(BUILD_PAGE, asked(study, seen=seen))


def run(job: Job) -> Job:
    done = jobs.run(job.pk)
    assert done is not None
    return done


def test_a_release_is_previewed_built_and_seen(
    client: Client, evenings: Study, woken: list[Job]
) -> None:
    previewed = client.get(BUILD_PAGE, {**asked(evenings), "step": "preview"})
    assert previewed.status_code == 200
    assert "180 <span>accepted responses" in previewed.content.decode()
    assert not Job.objects.exists() and not Release.objects.exists()

    sent = ask_to_build(client, evenings)

    (job,) = woken
    assert sent.status_code == 303 and sent["Location"].endswith(f"/job/{job.pk}/change/")
    assert run(job).state == JobState.DONE
    release = Release.objects.get()
    assert (release.made_by, release.seed, release.rows.count()) == (job.requested_by, 7, 180)
    page = client.get(sent["Location"]).content.decode()
    assert reverse("admin:annotation_release_change", args=[release.pk]) in page
    assert "Quiet evenings · v1 is built: 180 rows in its splits." in page
    shown = client.get(reverse("admin:annotation_release_change", args=[release.pk]))
    assert release.sha256 in shown.content.decode()
    assert "evenings" in client.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": ""}, "Give it a name"),
        ({"name": "two words"}, "letters, digits"),
        ({"test": "9"}, "add up to 100%"),
        ({"seed": "-1"}, "Write at least 0"),
        ({"study": ""}, "Choose the study"),
    ],
)
def test_what_cannot_be_built_is_said_beside_the_field(
    client: Client, evenings: Study, woken: list[Job], wrong: dict[str, str], said: str
) -> None:
    answer = client.post(BUILD_PAGE, asked(evenings) | wrong)

    assert answer.status_code == 422 and said in answer.content.decode()
    assert not woken


def test_a_name_is_given_once(client: Client, evenings: Study, woken: list[Job]) -> None:
    build(evenings)

    answer = client.post(BUILD_PAGE, asked(evenings))

    assert answer.status_code == 422 and "of that name already" in answer.content.decode()
    proposed = client.get(BUILD_PAGE, {"study": evenings.pk}).content.decode()
    assert 'value="v2"' in proposed and 'value="7"' in proposed


def test_what_was_not_seen_is_not_built(client: Client, evenings: Study, woken: list[Job]) -> None:
    preview = client.get(BUILD_PAGE, {**asked(evenings), "step": "preview"}).content.decode()
    (seen,) = re.findall(r'name="seen" value="([^"]+)"', preview)
    first = Contribution.objects.order_by("pk")[0]
    Contribution.objects.filter(pk=first.pk).update(status=ContributionStatus.WITHDRAWN)

    answer = client.post(BUILD_PAGE, asked(evenings, seen=seen))

    page = answer.content.decode()
    assert answer.status_code == 409 and "Something has changed since you looked" in page
    assert "179 <span>accepted responses" in page and "Build v1" in page
    assert client.post(BUILD_PAGE, asked(evenings)).status_code == 409
    assert not woken


def test_nothing_accepted_is_told_before_anything_is_built(client: Client) -> None:
    page = client.get(BUILD_PAGE, {**asked(make_study()), "step": "preview"})

    assert "No response of this study is accepted yet" in page.content.decode()


def test_too_few_reviews_are_told_on_the_page(client: Client, evenings: Study) -> None:
    given = asked(evenings, test_from="expert-reviewed", step="preview")

    page = client.get(BUILD_PAGE, given).content.decode()

    assert "more responses have to be reviewed" in page and "Build v1" not in page


def test_a_build_that_was_stopped_behind_its_commit_ends_well(
    client: Client, evenings: Study, woken: list[Job]
) -> None:
    ask_to_build(client, evenings)
    (job,) = woken
    run(job)
    Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED, lease_until=None)

    assert run(job).state == JobState.DONE and Release.objects.count() == 1
    other = jobs.create_job(
        kind=BUILD,
        study=evenings,
        payload=build_payload(name="v1", seed=7, rule=ReleaseRule()),
    )
    failed = run(other)
    assert failed.state == JobState.FAILED and "named v1 already" in failed.error


def test_the_files_are_written_by_a_job_and_taken_home_as_one(
    client: Client, evenings: Study, woken: list[Job]
) -> None:
    release = build(evenings)
    download = reverse("admin:annotation_release_download", args=[release.pk])
    assert client.get(download).status_code == 404

    client.post(reverse("admin:annotation_release_pack", args=[release.pk]))
    done = run(woken[0])
    assert done.state == JobState.DONE
    assert done.result["said"] == "The files of Quiet evenings · v1 are written."

    answer = client.get(download)
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:
        assert "evenings-v1/train.jsonl" in archive.namelist()
    assert answer["Content-Disposition"] == 'attachment; filename="evenings-v1.zip"'


def test_verifying_tells_whether_the_rows_are_what_they_were(
    client: Client, evenings: Study, woken: list[Job]
) -> None:
    release = build(evenings)
    verify = reverse("admin:annotation_release_verify", args=[release.pk])
    client.post(verify)
    assert "All 180 rows" in run(woken[0]).result["said"]
    Contribution.objects.update(content={**Contribution.objects.all()[0].content, "assertion": "?"})

    client.post(verify)

    assert "not what they were" in run(woken[1]).error


def test_withdrawing_asks_first_and_lists_the_releases(client: Client) -> None:
    round = make_round(stories=4)
    worker = make_participant(round)
    mine = contribute(round, participant=worker)
    build(round.study)
    chosen = {"action": "withdraw_work", "_selected_action": [str(worker.pk)]}

    question = client.post("/admin/studies/participant/", chosen).content.decode()

    assert "v1</a>: 1 row" in question and "This cannot be undone" in question
    mine.refresh_from_db()
    assert mine.status == ContributionStatus.ACCEPTED
    answer = client.post(
        reverse("admin:annotation_release_withdraw"),
        {"_selected_action": str(worker.pk)},
        follow=True,
    )
    assert "1 contribution is withdrawn" in answer.content.decode()
    mine.refresh_from_db()
    assert mine.status == ContributionStatus.WITHDRAWN


def test_who_may_do_what(staff_client: StaffClient, evenings: Study) -> None:
    release = build(evenings)
    page = reverse("admin:annotation_release_change", args=[release.pk])
    reader = staff_client("annotation.view_release")
    stranger = staff_client("studies.view_study")

    assert reader.get(page).status_code == 200
    assert reader.get(BUILD_PAGE).status_code == 403
    for path in (page, LIST, BUILD_PAGE):
        assert stranger.get(path).status_code == 403
    for name in ("pack", "verify"):
        path = reverse(f"admin:annotation_release_{name}", args=[release.pk])
        assert stranger.post(path).status_code == 403
        assert reader.get(path).status_code == 405
    withdraw = reverse("admin:annotation_release_withdraw")
    assert reader.post(withdraw).status_code == 403


def test_releases_of_other_studies_are_not_there(staff_client: StaffClient) -> None:
    theirs = staff_client("annotation.view_release", "annotation.add_release")
    study = make_study()
    bring(study, past_rows(3))
    release = build(study)

    for name in ("change", "download", "pack", "verify"):
        path = reverse(f"admin:annotation_release_{name}", args=[release.pk])
        answer = theirs.post(path) if name in ("pack", "verify") else theirs.get(path)
        assert answer.status_code == 404, name
    assert study.title not in theirs.get(LIST).content.decode()
    assert theirs.post(BUILD_PAGE, asked(study)).status_code == 422


def test_pages_stay_within_their_budgets(
    client: Client, evenings: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    releases = [build(evenings, f"v{n}") for n in range(3)]
    with django_assert_max_num_queries(8):
        client.get(LIST)
    with django_assert_max_num_queries(5):
        client.get(reverse("admin:annotation_release_change", args=[releases[0].pk]))
    with django_assert_max_num_queries(10):
        client.get(BUILD_PAGE, {**asked(evenings, name="v9"), "step": "preview"})


def test_the_page_of_a_study_leads_to_its_releases(client: Client, evenings: Study) -> None:
    build(evenings)
    other = make_study(title="Harbour mornings")
    bring(other, past_rows(2))
    build(other, "harbour-one")
    way = reverse("admin:annotation_release_of_study", args=[evenings.pk])

    assert way in client.get(f"/admin/studies/study/{evenings.pk}/change/").content.decode()
    listed = client.get(way, follow=True).content.decode()

    assert ">v1</a>" in listed and "harbour-one" not in listed


def test_the_kinds_of_jobs_have_names() -> None:
    assert {BUILD, PACK, VERIFY} <= set(jobs.kinds())


def test_shares_are_proposed_as_people_write_them(client: Client, evenings: Study) -> None:
    page = client.get(BUILD_PAGE, {"study": evenings.pk}).content.decode()

    assert re.findall(r'name="(train|validation|test)" value="([^"]*)"', page) == [
        ("train", "80"),
        ("validation", "12"),
        ("test", "8"),
    ]
