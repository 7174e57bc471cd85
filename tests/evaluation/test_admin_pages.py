"""Evaluation in the admin: from a file to a table, and from a number to its ratings."""

import json
import re
import shlex
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from evaluation.instruments.as_data import to_data
from evaluation.instruments.pasta import STATE_INFERENCE
from evaluation.models import Instrument, Rating, ResultFile
from evaluation.services.instruments import find_instrument
from evaluation.services.withdrawing import withdraw_results
from studies import jobs
from studies.models import Job, JobState, Study
from tests.evaluation.rated import each, make_item, together
from tests.evaluation.result_file import four_items, rating, result_file
from tests.studies.factories import make_study
from tests.studies.members import make_member

pytestmark = pytest.mark.django_db
LINK = re.compile(r'href="([^"]+)"')


@pytest.fixture(autouse=True)
def kept_here(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr("studies.tasks.wake", lambda job: job)


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


@pytest.fixture
def client(study: Study) -> Client:
    """A researcher of the study."""
    client = Client()
    client.force_login(make_member(study))
    return client


def page(name: str, *args: Any) -> str:
    return reverse(f"admin:evaluation_{name}", args=args)


def links(html: str, part: str) -> list[str]:
    return [found.replace("&amp;", "&") for found in LINK.findall(html) if part in found]


# --- From a file to ratings ---------------------------------------------------------------------
def upload(client: Client, study: Study, content: bytes, **more: Any) -> Any:
    given = {
        "study": study.pk,
        "instrument": find_instrument("state-inference").pk,
        "system": "people",
        "file": SimpleUploadedFile("results.csv", content),
    }
    return client.post(page("results_upload"), given | more)


def test_a_file_may_be_larger_than_other_forms(
    client: Client, study: Study, settings: Settings
) -> None:
    content = result_file(four_items())
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = len(content) // 2

    answer = upload(client, study, content)

    assert answer.status_code in (302, 303)
    assert "/preview/" in answer["Location"]


def test_a_file_is_looked_at_and_then_imported(client: Client, study: Study) -> None:
    preview = upload(client, study, result_file(four_items()))["Location"]
    shown = client.get(preview, {"reverse": "inferable"})
    html = shown.content.decode()
    assert "Answer.sb_entail_a.0</code> <span>Extremely likely" in html
    assert html.count('name="reverse" value="inferable"') == 2
    assert not Rating.objects.exists()

    shown = client.get(preview)
    assert "Answer.sb_entail_a.0</code> <span>Extremely unlikely" in shown.content.decode()
    (address,) = re.findall(r'action="([^"]+/import/[^"]+)"', shown.content.decode())
    answer = client.post(address)

    job = Job.objects.get(kind="import_ratings")
    assert answer["Location"] == reverse("admin:studies_job_change", args=[job.pk])
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["said"]) == (
        JobState.DONE,
        "12 ratings of 4 items were imported.",
    )
    assert ResultFile.objects.get().imported_by is not None
    assert "12 ratings of 4 items" in client.get(answer["Location"]).content.decode()


def test_the_job_run_again_after_a_kill_finds_what_it_did(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview = upload(client, study, result_file(four_items()))["Location"]
    client.post(preview.replace("/preview/", "/import/"))
    job = Job.objects.get()
    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr(jobs.JobContext, "finish", Mock(side_effect=KeyboardInterrupt))
        jobs.run(job.pk)
    file = ResultFile.objects.get()
    withdraw_results(file=file, why="The system was another one.")
    Job.objects.update(state=JobState.QUEUED, lease_until=None)

    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == JobState.DONE and Rating.objects.count() == 12
    assert job.result["result_file"] == file.pk
    assert job.result["said"] == "12 ratings of 4 items were imported."


def test_a_file_sent_twice_is_imported_once_and_the_second_job_says_why(
    client: Client, study: Study
) -> None:
    """Both jobs are there before either of them begins."""
    for system in ("wrong-name", "people"):
        preview = upload(client, study, result_file(four_items()), system=system)["Location"]
        client.post(preview.replace("/preview/", "/import/"))

    first, second = (jobs.run(pk) for pk in Job.objects.order_by("pk").values_list("pk", flat=True))

    assert first is not None and second is not None
    assert (first.state, second.state) == (JobState.DONE, JobState.FAILED)
    assert "as results.csv, with the system wrong-name. Nothing was imported." in second.error
    assert ResultFile.objects.get().pk == first.result["result_file"]


def test_a_file_that_is_wrong_says_so_before_and_in_the_job(client: Client, study: Study) -> None:
    late = [rating(f"HIT{n}", "W", 1) for n in range(8)] + [rating("HIT", "W", ())]
    preview = upload(client, study, result_file(late))["Location"]
    assert client.get(preview).status_code == 200
    client.post(preview.replace("/preview/", "/import/"))
    job = Job.objects.get()
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "Row 10: question “inferable”: no option was chosen. Nothing was imported." in job.error

    far = rating("HIT", "W", 1, SubmitTime="Fri Dec 31 23:59:59 PST 9999")
    shown = client.get(upload(client, study, result_file([far]))["Location"])
    assert shown.status_code == 422 and "is no time such as" in shown.content.decode()

    preview = upload(client, study, result_file([rating("HIT", "W", (1, 2))]))["Location"]
    shown = client.get(preview)
    assert shown.status_code == 422
    assert "Row 2: question “inferable”: more than one option" in shown.content.decode()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"system": ""}, "Name the system"),
        ({"file": ""}, "Choose a file."),
        ({"map": "{"}, "This is no JSON: look at line 1."),
        ({"map": "[" * 900}, "nested too deeply"),
        ({"map": '{"left": "a\\u0000"}'}, "A NUL character"),
        ({"map": '{"ignore": ["\\ud800"]}'}, "Half of a surrogate pair"),
        ({"map": '{"colour": 1}'}, "“colour”, which is unknown"),
        ({"map": '{"rater": ""}'}, "“rater” of the map cannot be empty."),
    ],
)
def test_an_upload_that_lacks_something_is_asked_for_it(
    client: Client, study: Study, more: dict[str, str], says: str
) -> None:
    answer = upload(client, study, b"x", **more)

    assert answer.status_code == 422 and says in answer.content.decode()


def test_an_address_that_nobody_made_is_not_found(client: Client) -> None:
    assert client.get(page("results_preview", "made-up")).status_code == 404
    assert client.post(page("results_import", "made-up")).status_code == 404


# --- From a table to ratings --------------------------------------------------------------------
@pytest.fixture
def revised(study: Study) -> Study:
    for system, likely in (("t5-base", (3, 4, 0)), ("GPT3", (0, 1, 4))):
        answers = together(inferable=likely, logical=(1, 1, 0), degree=(0, 1, 2))
        make_item(study, "story-revision", *answers, system=system)
    return study


def test_two_clicks_lead_from_a_number_to_its_three_ratings(client: Client, revised: Study) -> None:
    shown = client.get(page("report", revised.pk, "story_revision"), {"system": "t5-base"})
    (cell,) = links(shown.content.decode(), "cell_metric=inferable")

    behind = client.get(cell)
    item = next(one for one in links(behind.content.decode(), "/change/") if "/item/" in one)
    html = client.get(item).content.decode()

    assert "100.00%" in behind.content.decode()
    assert ">66.67%</a>" in shown.content.decode()
    assert "3 ratings" in html
    raters = revised.participants.values_list("pseudonym", flat=True)
    assert len(raters) == 3 and all(one in html for one in raters)


def test_every_report_that_suits_is_on_the_page(client: Client, revised: Study) -> None:
    html = client.get(page("reports", revised.pk)).content.decode()
    assert page("report", revised.pk, "story_revision") in html
    assert page("report", revised.pk, "agreement") in html
    assert page("report", revised.pk, "pairwise") not in html

    table = client.get(page("report", revised.pk, "agreement")).content.decode()
    assert "Gwet’s AC" in table and links(table, "cell_question=logical")


def test_agreement_leads_to_the_items_on_which_raters_differ(
    client: Client, revised: Study
) -> None:
    answer = client.get(page("report_behind", revised.pk, "agreement"), {"cell_question": "degree"})

    assert "0, 1, 2" in answer.content.decode()


def test_what_the_table_shows_can_be_taken_along(client: Client, revised: Study) -> None:
    address = page("report_file", revised.pk, "story_revision")

    csv = client.get(address, {"format": "csv", "system": "GPT3"})
    latex = client.get(address, {"format": "latex"})

    assert csv["Content-Disposition"] == 'attachment; filename="evenings-story_revision.csv"'
    assert csv.content.decode().splitlines()[:2] == [
        "system,metric,value,n",
        "GPT3,inferable,0.0,1",
    ]
    assert latex.content.decode().startswith(r"\begin{tabular}{lrrrrr}")
    assert client.get(address, {"format": "xml"}).status_code == 404


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"expected_items": "x"}, "Give a whole number."),
        ({"system": "nobody"}, "Look at what is asked above."),
        ({"expected_items": "1", "first_submitted": "1"}, ""),
    ],
)
def test_a_report_can_be_asked_for_less_or_more(
    client: Client, revised: Study, asked: dict[str, str], says: str
) -> None:
    answer = client.get(page("report", revised.pk, "story_revision"), asked)

    assert answer.status_code == (422 if says else 200)
    assert says in answer.content.decode()


@pytest.mark.parametrize("name", ["-n", '$(echo "x") `id`', "it's", "t5 base"])
def test_the_command_that_a_page_shows_asks_for_the_same(
    client: Client, study: Study, name: str
) -> None:
    make_item(study, "timetravel-likert", *each("plot", 1, 3), system=name)
    address = reverse("admin:evaluation_report", args=[study.pk, "likert"])

    html = client.get(address, {"system": name}).content.decode()

    shown = unescape(html.partition("<code>manage.py ")[2].partition("</code>")[0])
    out = StringIO()
    call_command(*shlex.split(shown), "--format", "json", stdout=out)
    (row,) = json.loads(out.getvalue())
    assert (row["system"], row["value"]) == (name, 2)


def test_numbers_and_reports_that_are_not_there_are_not_found(
    client: Client, revised: Study
) -> None:
    assert client.get(page("report", revised.pk, "beauty")).status_code == 404
    behind = page("report_behind", revised.pk, "story_revision")
    assert client.get(behind, {"cell_metric": "beauty"}).status_code == 404
    assert client.get(page("report", revised.pk, "likert")).status_code in {200, 422}


def test_the_pages_send_few_statements(
    client: Client, revised: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(10):
        make_item(revised, "state-inference", *each("inferable", number % 5, 3))
    addresses = [
        page("report", revised.pk, "story_revision"),
        page("item_changelist"),
        page("rating_changelist"),
        page("resultfile_changelist"),
        page("instrument_changelist"),
    ]
    for address in addresses:
        client.get(address)
        with django_assert_max_num_queries(10):
            assert client.get(address).status_code == 200


# --- Instruments --------------------------------------------------------------------------------
def test_an_instrument_is_previewed_and_made(client: Client) -> None:
    declared = to_data(STATE_INFERENCE) | {"slug": "mine", "title": "Mine"}
    given = {"declaration": json.dumps(declared)}

    preview = client.post(page("instrument_make"), given | {"step": "preview"})
    html = preview.content.decode()
    assert "Extremely likely" in html
    assert "js/rating/main" in html and "data-preview" in html
    assert not Instrument.objects.filter(slug="mine").exists()
    answer = client.post(page("instrument_make"), given)

    made = Instrument.objects.get(slug="mine")
    assert answer["Location"] == page("instrument_change", made.pk)
    assert "version 1" in client.get(answer["Location"]).content.decode()
    assert client.post(page("instrument_make"), given).status_code == 409


def test_a_new_version_begins_with_the_one_before(client: Client) -> None:
    base = find_instrument("pairwise")
    address = f"{page('instrument_make')}?from={base.pk}"
    assert "Which ending stays closer" in client.get(address).content.decode()
    changed = base.declaration | {"about": "Side by side."}

    client.post(address, {"declaration": json.dumps(changed)})

    assert find_instrument("pairwise").version == base.version + 1


def test_a_copy_with_another_text_and_one_more_option_is_a_version_with_numbers_of_its_own(
    client: Client, study: Study
) -> None:
    base = find_instrument("story-revision")
    address = page("instrument_make") + f"?from={base.pk}"
    assert "What may stand here" in client.get(address).content.decode()
    changed = json.loads(json.dumps(base.declaration))
    degree = changed["questions"][2]
    degree["text"] = "How far is it from the story?"
    degree["options"].append({"code": 4, "label": "It is about something else"})
    given = {"declaration": json.dumps(changed)}

    preview = client.post(address, given | {"step": "preview"}).content.decode()
    client.post(address, given)

    assert "How far is it from the story?" in preview and "It is about something else" in preview
    newer = find_instrument("story-revision")
    assert newer.version == base.version + 1
    answers = together(inferable=(3, 4, 0), logical=(1, 1, 0), degree=(4, 1, 2))
    for one in (base, newer):
        make_item(study, f"{one.slug}@{one.version}", *answers)
    report = page("report", study.pk, "story_revision")
    refused = client.get(report)
    assert refused.status_code == 422 and f"story-revision@{newer.version}" in str(refused.content)
    chosen = client.get(report, {"instrument": f"story-revision@{newer.version}"})
    assert chosen.status_code == 200 and "3 ratings of 1 items" in chosen.content.decode()
    offered = client.get(page("results_upload")).content.decode()
    assert str(base) in offered and str(newer) in offered


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Write the declaration"),
        ("{", "line 1"),
        ("[]", "an object"),
        ("[" * 900 + "]" * 900, "nested too deeply"),
        ('{"slug": ' + "1" * 5000 + "}", "a number too long"),
        ('{"\\ud800": 1}', "Half of a surrogate pair"),
    ],
)
def test_a_declaration_that_is_none_is_refused(client: Client, text: str, says: str) -> None:
    answer = client.post(page("instrument_make"), {"declaration": text})

    assert answer.status_code == 422 and says in answer.content.decode()


# --- Who may ------------------------------------------------------------------------------------
def test_others_find_nothing_of_it(revised: Study) -> None:
    stranger = Client()
    stranger.force_login(make_member(make_study()))
    item = revised.evaluation_items.all()[0]

    for address in (
        page("reports", revised.pk),
        page("report", revised.pk, "agreement"),
        page("report_file", revised.pk, "agreement"),
        page("item_change", item.pk),
    ):
        assert stranger.get(address).status_code == 404
    assert item.key not in stranger.get(page("item_changelist")).content.decode()


def test_staff_without_the_permissions_are_refused(revised: Study) -> None:
    client = Client()
    client.force_login(User.objects.create_user("omar", is_staff=True))

    names = ("results_upload", "instrument_make", "instrument_changelist", "rating_changelist")
    assert {client.get(page(name)).status_code for name in names} == {403}
    assert client.get(page("reports", revised.pk)).status_code == 403


def test_pairs_are_drawn_as_strengths(client: Client, study: Study) -> None:
    make_item(study, "pairwise", *each("plot", "first", "second", "first"), rival="B")

    shown = client.get(page("report", study.pk, "pairwise"))

    assert [row["row"] for row in shown.context["figure"].rows] == ["plot · A", "plot · B"]
    (cell,) = links(shown.content.decode(), "cell_metric=wins")
    assert "A, B, A" in client.get(cell).content.decode()
    (strength,) = links(
        shown.content.decode(), "cell_system=B&amp;cell_question=plot&amp;cell_metric"
    )
    assert "A, B" in client.get(page("rating_changelist")).content.decode()
    behind = client.get(strength).content.decode()
    assert "Strength · plot · B" in behind and "A, B, A" in behind
