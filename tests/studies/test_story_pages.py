import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from studies import jobs
from studies.jobs import JobContext
from studies.models import Job, JobState, Membership, Story, Study, StudyRole
from studies.services import story_upload
from tests.studies.factories import make_round, make_stories, make_study

CONTENT = b"story_id,title,line1,line2\n007,A walk,Ann went out.,It rained.\n8,Home,Bob slept.,He\n"
IMPORT = "admin:studies_story_import"


@pytest.fixture(autouse=True)
def media(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


def staff(*permissions: str) -> Client:
    user = get_user_model().objects.create_user("staff", password="x", is_staff=True)
    codenames = [name.removeprefix("studies.") for name in permissions]
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    for study in Study.objects.all():
        Membership.objects.create(study=study, user=user, role=StudyRole.RESEARCHER)
    client = Client()
    client.force_login(user)
    return client


def send(client: Client, study: Study, content: bytes = CONTENT, **fields: Any) -> Any:
    file = SimpleUploadedFile(fields.pop("name", "file.csv"), content)
    data = {"study": study.pk, "file": file, "format": "auto"} | fields
    return client.post(reverse(IMPORT), data)


@pytest.mark.django_db
def test_an_upload_starts_a_job_that_imports_the_stories(
    admin_client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    study = make_study()

    with django_capture_on_commit_callbacks(execute=True):
        answer = send(admin_client, study)

    job = Job.objects.get()
    assert answer.status_code == 303
    assert answer["Location"] == reverse("admin:studies_job_change", args=[job.pk])
    assert (job.kind, job.state, job.result["added"]) == ("import_stories", JobState.DONE, 2)
    assert list(study.stories.values_list("external_id", flat=True)) == ["007", "8"]
    page = admin_client.get(answer["Location"])
    assert "2 stories were added." in page.content.decode()


@pytest.mark.django_db
def test_a_check_stores_nothing_and_offers_the_import(
    admin_client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    study = make_study()

    with django_capture_on_commit_callbacks(execute=True):
        send(admin_client, study, dry_run="on")
    check = Job.objects.get()
    page = admin_client.get(reverse("admin:studies_job_change", args=[check.pk]))

    assert not study.stories.exists()
    assert "Import 2 stories" in page.content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        admin_client.post(reverse("admin:studies_story_import_checked", args=[check.pk]))
    assert study.stories.count() == 2


@pytest.mark.django_db
def test_a_check_that_finds_something_wrong_is_done_and_says_what(
    admin_client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        send(admin_client, make_study(), CONTENT + b"9,T,,B.\n", dry_run="on")
    check = Job.objects.get()
    page = admin_client.get(reverse("admin:studies_job_change", args=[check.pk])).content.decode()

    assert (check.state, check.error) == (JobState.DONE, "")
    assert "The file was checked: 1 problem." in page and "This was not done" not in page
    assert "Row 4, column line1: This sentence is empty." in page
    checked = reverse("admin:studies_story_import_checked", args=[check.pk])
    assert checked not in page and admin_client.post(checked).status_code == 404


@pytest.mark.django_db
def test_what_is_wrong_with_a_file_stands_on_the_jobs_page(
    admin_client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    study = make_study()
    content = CONTENT + b"9,<script>alert(1)</script>,,B.\n" + b"10,T,,B.\n" * 30

    with django_capture_on_commit_callbacks(execute=True):
        send(admin_client, study, content, name="<b>bad</b>.csv")
    job = Job.objects.get()
    page = admin_client.get(reverse("admin:studies_job_change", args=[job.pk])).content.decode()

    assert job.state == JobState.FAILED and not study.stories.exists()
    assert "Nothing was imported: 31 problems in the file." in page
    assert "Row 4, column line1: This sentence is empty." in page
    assert "and 11 more" in page
    assert "<b>bad" not in page


@pytest.mark.django_db
def test_a_file_above_the_limit_is_refused_with_both_sizes(
    admin_client: Client, settings: Settings, media: Path
) -> None:
    settings.STORY_UPLOAD_MAX_BYTES = 50

    answer = send(admin_client, make_study())

    assert answer.status_code == 422
    assert "At most 50\xa0bytes can be uploaded." in answer.content.decode()
    assert not Job.objects.exists() and not list(media.rglob("*.csv"))


@pytest.mark.django_db
@pytest.mark.parametrize("content", [b"", None])
def test_an_upload_without_a_file_says_what_is_missing(
    admin_client: Client, content: bytes | None
) -> None:
    data: dict[str, Any] = {"study": make_study().pk, "format": "auto"}
    if content is not None:
        data["file"] = SimpleUploadedFile("empty.csv", content)

    answer = admin_client.post(reverse(IMPORT), data)

    assert answer.status_code == 422
    assert "Story file</a>:" in answer.content.decode()
    assert not Job.objects.exists()


@pytest.mark.django_db
def test_the_file_is_kept_under_a_name_of_our_own(admin_client: Client, media: Path) -> None:
    send(admin_client, make_study(), name="..\\..//evil/../stories.exe.TXT\u202e.csv")

    (kept,) = [path for path in media.rglob("*") if path.is_file()]
    assert kept.parent == media / "stories"
    assert kept.stem.isalnum() and kept.read_bytes() == CONTENT


@pytest.mark.django_db
def test_only_staff_who_may_add_stories_import(client: Client) -> None:
    study = make_study()

    assert send(client, study).status_code == 302
    viewer = staff("view_story", "view_job")
    assert viewer.get(reverse(IMPORT)).status_code == 403
    assert send(viewer, study).status_code == 403
    checked = reverse("admin:studies_story_import_checked", args=[1])
    assert viewer.post(checked).status_code == 403
    assert not Job.objects.exists()


@pytest.mark.django_db
def test_a_job_that_checked_nothing_cannot_be_imported(admin_client: Client) -> None:
    job = jobs.create_job(kind="import_stories", study=make_study(), payload={"dry_run": False})
    url = reverse("admin:studies_story_import_checked", args=[job.pk])

    assert admin_client.get(url).status_code == 405
    assert admin_client.post(url).status_code == 404


@pytest.mark.django_db
def test_the_list_links_to_the_import_and_an_empty_one_says_so_first(admin_client: Client) -> None:
    url = reverse("admin:studies_story_changelist")

    empty = admin_client.get(url).content.decode()
    make_stories(make_study(), 3)
    full = admin_client.get(url).content.decode()

    assert "No story yet" in empty and reverse(IMPORT) in empty
    assert reverse(IMPORT) in full and "The visitor" in full


@pytest.mark.django_db
def test_the_list_takes_as_many_queries_for_many_stories_as_for_few(
    admin_client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(5):
        make_stories(make_study(), 15)

    with django_assert_max_num_queries(10):
        admin_client.get(
            reverse("admin:studies_story_changelist"), {"sentences": "5", "used": "no"}
        )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"sentences": "-3"}, "short"),
        ({"sentences": "5"}, "usual"),
        ({"sentences": "7-"}, "long"),
        ({"q": "LONG"}, "long"),
    ],
)
def test_stories_are_found_by_length_id_and_title(
    admin_client: Client, query: dict[str, str], found: str
) -> None:
    study = make_study()
    for name, count in (("short", 2), ("usual", 5), ("long", 8)):
        Story.objects.create(
            study=study, external_id=name, title="", sentences=["A b."] * count, roles=[""] * count
        )

    page = admin_client.get(reverse("admin:studies_story_changelist"), query).content.decode()

    assert [name for name in ("short", "usual", "long") if f">{name}<" in page] == [found]


@pytest.mark.django_db
def test_a_sentence_is_split_and_merged_again_on_its_page(admin_client: Client) -> None:
    (story,) = make_stories(make_study(), 1, ["It rained. Bob  ran.", "He fell."])
    page = reverse("admin:studies_story_change", args=[story.pk])
    shown = admin_client.get(page).content.decode()

    assert 'name="offset" value="11"' in shown and "Merge sentence 1 with the next" in shown
    data: dict[str, Any] = {"sentence": 1, "seen": json.dumps(story.sentences)}
    answer = admin_client.post(
        reverse("admin:studies_story_split", args=[story.pk]), data | {"offset": 11}
    )
    assert answer["Location"] == page
    story.refresh_from_db()
    assert story.sentences == ["It rained.", "Bob  ran.", "He fell."]
    data["seen"] = json.dumps(story.sentences)
    admin_client.post(reverse("admin:studies_story_merge", args=[story.pk]), data)
    story.refresh_from_db()
    assert story.sentences == ["It rained. Bob  ran.", "He fell."]


@pytest.mark.django_db
def test_a_story_in_use_shows_no_buttons_and_refuses_changes(admin_client: Client) -> None:
    round = make_round(stories=1)
    story = Story.objects.get(study=round.study)
    page = admin_client.get(reverse("admin:studies_story_change", args=[story.pk]))

    answer = admin_client.post(
        reverse("admin:studies_story_split", args=[story.pk]),
        {"sentence": 1, "offset": 5, "seen": json.dumps(story.sentences)},
        follow=True,
    )

    assert "st-gap" not in page.content.decode()
    assert "A round uses this story." in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("seen", ["", "not json", '"text"', "{}", "[]"])
def test_a_change_that_makes_no_sense_changes_nothing(admin_client: Client, seen: str) -> None:
    (story,) = make_stories(make_study(), 1)

    answer = admin_client.post(
        reverse("admin:studies_story_merge", args=[story.pk]), {"sentence": 1, "seen": seen}
    )

    assert answer.status_code == 303
    assert Story.objects.get(pk=story.pk).sentences == story.sentences


@pytest.mark.django_db
def test_sentences_are_changed_by_post_and_by_those_who_may() -> None:
    (story,) = make_stories(make_study(), 1)
    viewer = staff("view_story")
    url = reverse("admin:studies_story_merge", args=[story.pk])
    page = viewer.get(reverse("admin:studies_story_change", args=[story.pk]))

    assert page.status_code == 200 and "st-gap" not in page.content.decode()
    assert viewer.post(url, {"sentence": 1, "seen": "[]"}).status_code == 403


@pytest.mark.django_db
def test_a_running_job_shows_its_progress_and_can_be_stopped(admin_client: Client) -> None:
    job = jobs.create_job(kind="import_stories", study=make_study(), payload={})
    token = jobs.claim(job.pk)
    assert token is not None
    JobContext(job, token).progress(512, 2048, "Reading <file>")
    url = reverse("admin:studies_job_live", args=[job.pk])

    live = admin_client.get(url).content.decode()
    admin_client.post(reverse("admin:studies_job_cancel", args=[job.pk]))
    after = admin_client.get(url).content.decode()

    assert 'max="2048" value="512"' in live and "512\xa0bytes of 2.0\xa0KB" in live
    assert "Reading &lt;file&gt;" in live and "hx-get" in live and ">Stop<" in live
    assert "Stopping at the next step" in after and ">Stop<" not in after
    assert Job.objects.get(pk=job.pk).cancel_requested


@pytest.mark.django_db
def test_a_waiting_job_stops_at_once_and_the_page_stops_asking(admin_client: Client) -> None:
    job = jobs.create_job(kind="import_stories", study=make_study(), payload={})

    admin_client.post(reverse("admin:studies_job_cancel", args=[job.pk]))

    page = admin_client.get(reverse("admin:studies_job_change", args=[job.pk])).content.decode()
    assert "Stopped before its end" in page
    assert reverse("admin:studies_job_live", args=[job.pk]) not in page


@pytest.mark.django_db
def test_only_who_asked_for_a_job_or_may_change_jobs_stops_it() -> None:
    job = jobs.create_job(kind="import_stories", study=make_study(), payload={})
    client = staff("view_job")
    url = reverse("admin:studies_job_cancel", args=[job.pk])

    assert client.get(reverse("admin:studies_job_change", args=[job.pk])).status_code == 200
    assert client.post(url).status_code == 403
    Job.objects.filter(pk=job.pk).update(requested_by=get_user_model().objects.get())
    assert client.get(url).status_code == 405
    assert client.post(url).status_code == 303


@pytest.mark.django_db
def test_a_job_whose_file_is_gone_says_so(media: Path) -> None:
    payload = story_upload.keep_upload(file=SimpleUploadedFile("a.csv", CONTENT))
    job = jobs.create_job(kind="import_stories", study=make_study(), payload=payload)
    (media / payload["file"]).unlink()

    done = jobs.run(job.pk)

    assert done is not None and done.state == JobState.FAILED
    assert "Upload it again" in done.error
