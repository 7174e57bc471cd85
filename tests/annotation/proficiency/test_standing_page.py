import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Decision
from annotation.proficiency.deciding import apply_standings
from annotation.releases.withdrawal import withdraw_participant
from studies import jobs
from studies.models import Job, JobState, Participant, Study
from studies.tasks import run_job
from tests.annotation.proficiency.conftest import Marketplace
from tests.annotation.proficiency.work import make_workers, review, statuses, work
from tests.studies.factories import make_round, make_study
from tests.studies_admin.conftest import StaffClient

pytestmark = pytest.mark.django_db(transaction=True)
SEE, DECIDE = "annotation.view_decision", "annotation.add_decision"


@pytest.fixture
def people() -> dict[str, Participant]:
    return make_workers()


def page_of(study: Study) -> str:
    return reverse("admin:annotation_standings", args=[study.pk])


def apply_page_of(study: Study) -> str:
    return reverse("admin:annotation_standings_apply", args=[study.pk])


def seen_on(page: str) -> str:
    found = re.search(r'name="seen" value="([^"]+)"', page)
    assert found
    return found.group(1)


def test_the_page_lists_every_worker_with_the_evidence(
    client: Client, people: dict[str, Participant]
) -> None:
    page = client.get(page_of(people["able"].study)).text

    for participant in people.values():
        assert participant.pseudonym in page
        assert participant.worker.marketplace_id not in page
    assert "At least 20 responses, and at most 20% rejected of a complete sample." in page
    assert "<strong>16.7%</strong>" in page and "3–56.4%" in page
    assert "2 more reviews" in page and "2 rejected, 1 allowed" in page
    assert "The standings of 3 workers are new" in page


def test_a_worker_who_withdrew_is_said_to_have_and_needs_nothing(
    client: Client, people: dict[str, Participant], marketplace: Marketplace
) -> None:
    able = people["able"]
    jobs.run(apply_standings(study=able.study).pk)
    assert "Withdrew" not in client.get(page_of(able.study)).text
    withdraw_participant(participant=able)

    page = client.get(page_of(able.study) + "?standing=withdrew").text

    assert "took back all that they gave" in page
    assert able.pseudonym in page and people["careless"].pseudonym not in page
    assert "more response" not in page and "left to review" not in page
    out = StringIO()
    call_command("proficiency", able.study.slug, stdout=out)
    assert f"{able.pseudonym} " in out.getvalue() and "withdrew" in out.getvalue().lower()
    assert "left to review" not in out.getvalue()


def test_a_standing_can_be_singled_out(client: Client, people: dict[str, Participant]) -> None:
    page = client.get(page_of(people["able"].study) + "?standing=undecided").text

    assert people["open"].pseudonym in page
    assert people["able"].pseudonym not in page


def test_more_reviews_can_be_asked_about(client: Client, people: dict[str, Participant]) -> None:
    address = page_of(people["able"].study)

    assert "With 4 more reviews" in client.get(address + "?extra=4").text
    wrong = client.get(address + "?extra=many").text
    assert "Give a whole number" in wrong and "With 10 more reviews" in wrong


def test_a_study_without_responses_says_what_is_missing(client: Client) -> None:
    assert "Nobody to judge yet" in client.get(page_of(make_study())).text


def test_looking_writes_nothing(client: Client) -> None:
    study = make_study()
    client.get(page_of(study))
    client.get(apply_page_of(study))

    assert not hasattr(Study.objects.get(pk=study.pk), "review_plan")


def test_applying_says_first_what_will_happen_and_then_does_just_that(
    client: Client, people: dict[str, Participant], marketplace: Marketplace
) -> None:
    study = people["able"].study
    page = client.get(apply_page_of(study)).text
    for words in ("Workers who become proficient</dt><dd>1", "accepted</dt><dd>23", "$16.80"):
        assert words in page
    assert not Decision.objects.exists()

    answer = client.post(apply_page_of(study), {"seen": seen_on(page)})
    job = Job.objects.get()
    run_job(job.pk)

    assert answer.headers["Location"] == reverse("admin:studies_job_change", args=[job.pk])
    job.refresh_from_db()
    assert job.state == JobState.DONE
    assert statuses(people["careless"]) == {"accepted": 4, "rejected": 16}
    assert marketplace.holders == {people["able"].worker.marketplace_id}
    assert Decision.objects.filter(decided_by__username="ada").count() == 3
    assert "Everything is applied already" in client.get(apply_page_of(study)).text
    assert "Apply the standings" in client.get(answer.headers["Location"]).text


def test_what_has_changed_since_it_was_read_is_not_done(
    client: Client, people: dict[str, Participant], woken: list[Job]
) -> None:
    study = people["able"].study
    seen = seen_on(client.get(apply_page_of(study)).text)
    review(people["open"], wrong=0)

    answer = client.post(apply_page_of(study), {"seen": seen})

    assert answer.status_code == 409
    assert "Something has changed since you looked." in answer.text
    assert "Workers who become proficient</dt><dd>2" in answer.text
    assert not woken


def test_who_may_only_look_cannot_apply(
    staff_client: StaffClient, people: dict[str, Participant], woken: list[Job]
) -> None:
    study = people["able"].study
    looking = staff_client(SEE)

    assert "Apply the standings" not in looking.get(page_of(study)).text
    assert looking.get(apply_page_of(study)).status_code == 403
    assert looking.post(apply_page_of(study), {"seen": "x"}).status_code == 403
    assert staff_client("studies.view_study").get(page_of(study)).status_code == 403
    assert not woken


def test_another_study_is_not_found(
    staff_client: StaffClient, people: dict[str, Participant]
) -> None:
    """A member of every study that there was before."""
    elsewhere = staff_client(SEE, DECIDE)
    later = make_study()

    assert elsewhere.get(page_of(people["able"].study)).status_code == 200
    for address in (page_of, apply_page_of):
        assert elsewhere.get(address(later)).status_code == 404


def test_the_latest_standing_is_on_the_workers_page_and_list(
    client: Client, people: dict[str, Participant], marketplace: Marketplace
) -> None:
    study = people["able"].study
    client.post(apply_page_of(study), {"seen": seen_on(client.get(apply_page_of(study)).text)})
    run_job(Job.objects.get().pk)

    listed = client.get(reverse("admin:studies_participant_changelist")).text
    own = client.get(reverse("admin:studies_participant_change", args=[people["able"].pk])).text

    assert listed.count('st-badge st-good">proficient') == 1
    assert listed.count('st-badge st-blocked">not proficient') == 1
    assert listed.count('st-badge st-waiting">undecided') == 1
    assert 'st-badge st-good">proficient' in own
    history = client.get(reverse("admin:annotation_decision_changelist")).text
    assert "20 responses, 6 of 6 reviewed, 1 rejected" in history


def test_136_workers_cost_no_more_statements_than_three(
    client: Client, people: dict[str, Participant]
) -> None:
    study = people["able"].study
    few = {
        address: statements(client, address) for address in (page_of(study), apply_page_of(study))
    }
    add_workers(study, 133)

    many = {address: statements(client, address) for address in few}

    assert "136" in client.get(page_of(study)).text
    assert many == few
    assert few[page_of(study)] < 10
    assert few[apply_page_of(study)] < 15


def statements(client: Client, address: str) -> int:
    assert client.get(address).status_code == 200
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


def add_workers(study: Study, count: int) -> None:
    round = make_round(study, overlap=7)
    study.review_plan.rounds.add(round)
    for _ in range(count):
        work(round, count=1)


def test_the_studys_page_leads_to_its_standings(client: Client, staff_client: StaffClient) -> None:
    study = make_study()
    address = reverse("admin:studies_study_change", args=[study.pk])

    assert f'href="{page_of(study)}"' in client.get(address).text
    assert page_of(study) not in staff_client("studies.view_study").get(address).text
