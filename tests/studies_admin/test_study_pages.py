import re
from decimal import Decimal
from typing import Any

from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from studies.models import AssignmentState, Job, JobState, Response, Round, Study
from tests.studies.factories import make_round, make_stories, make_study
from tests.studies_admin.conftest import StaffClient
from tests.studies_admin.responses import make_response

LIST = "/admin/studies/study/"


def address(study: Study) -> str:
    return reverse("admin:studies_study_change", args=[study.pk])


def test_the_list_counts_in_few_queries(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        round = make_round(make_study(budget_usd=Decimal(20), title=f"Study {number}"))
        make_response(round, assignment_state=AssignmentState.APPROVED)

    with django_assert_max_num_queries(6):
        page = client.get(LIST).content.decode()

    assert "1 (1 open)" in page
    assert "$0.42 of $20.00" in page


def test_with_no_study_the_list_says_what_to_do(client: Client) -> None:
    page = client.get(LIST).content.decode()

    assert "No study yet" in page
    assert reverse("admin:studies_study_add") in page


def test_a_search_without_a_hit_is_not_called_the_first_use(client: Client, study: Study) -> None:
    page = client.get(LIST, {"q": "nothing like it"}).content.decode()

    assert "No study yet" not in page


def test_a_study_is_created_with_title_consent_contact_and_budget(client: Client) -> None:
    response = client.post(
        reverse("admin:studies_study_add"),
        {
            "title": "Endings",
            "slug": "endings",
            "consent_text": "You may stop at any time.",
            "contact": "the lab",
            "budget_usd": "250",
        },
    )

    study = Study.objects.get()
    assert response.status_code == 302
    assert (study.slug, study.budget_usd) == ("endings", Decimal(250))


def test_a_negative_budget_is_refused(client: Client) -> None:
    response = client.post(
        reverse("admin:studies_study_add"),
        {"title": "Endings", "slug": "endings", "budget_usd": "-1"},
    )

    assert response.status_code == 200
    assert not Study.objects.exists()


def test_the_studys_page_leads_everywhere(
    client: Client, study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    study.budget_usd = Decimal(10)
    study.save()
    make_response(make_round(study), assignment_state=AssignmentState.APPROVED)

    with django_assert_max_num_queries(9):
        page = client.get(address(study)).content.decode()

    for place in ("story", "round", "response", "participant"):
        assert reverse(f"admin:studies_{place}_changelist") in page
    assert reverse("admin:studies_study_launch", args=[study.pk]) in page
    assert reverse("admin:studies_story_import") in page
    assert "$6.64" in page
    assert f"export_responses {study.slug}" in page


def test_the_lists_behind_a_studys_page_hold_what_is_in_the_study(
    client: Client, study: Study, round: Round
) -> None:
    make_response(round)
    other = make_study(slug="other", title="Another study")
    make_stories(other, 1)
    make_response(make_round(other))

    page = client.get(address(study)).content.decode()

    listed = re.findall(
        r'href="(/admin/studies/(?:story|round|response|participant)/\?[^"]+)"', page
    )
    assert len(listed) == 4
    for link in listed:
        rows = client.get(link)
        assert rows.status_code == 200, link
        assert {study_of(row) for row in rows.context["cl"].result_list} == {study}, link


def test_responses_of_a_study_are_narrowed_to_one_of_its_rounds(
    client: Client, study: Study, round: Round
) -> None:
    other = make_round(make_study(slug="other", title="Another study"))

    offered = {
        query: [str(pk) for pk in (round.pk, other.pk) if f"round={pk}" in html]
        for query in ("", f"?study={study.pk}")
        for html in [client.get(f"/admin/studies/response/{query}").content.decode()]
    }

    assert offered == {"": [str(round.pk), str(other.pk)], f"?study={study.pk}": [str(round.pk)]}


def study_of(row: Any) -> Study:
    found = row.assignment.task.round.study if isinstance(row, Response) else row.study
    assert isinstance(found, Study)
    return found


def test_two_who_change_a_study_at_once_lose_nothing_of_each_other(
    client: Client, study: Study
) -> None:
    Study.objects.update(
        budget_usd=Decimal("20.00"), consent_text="One.\nTwo. ", records_process=True
    )
    opened = sent_by(client.get(address(study)))

    client.post(address(study), opened | {"budget_usd": "500"})
    client.post(address(study), opened | {"consent_text": "One.\r\nTwo.\r\nThree."})
    study.refresh_from_db()
    assert (study.budget_usd, study.consent_text) == (Decimal(500), "One.\r\nTwo.\r\nThree.")

    asked = client.post(address(study), opened | {"budget_usd": "30", "records_process": ""})
    study.refresh_from_db()
    assert "Somebody else changed this after you opened the page." in asked.content.decode()
    assert (study.budget_usd, study.records_process) == (Decimal(500), True)

    client.post(address(study), sent_by(asked) | {"budget_usd": ""})
    study.refresh_from_db()
    assert (study.budget_usd, study.records_process) == (None, False)


def sent_by(page: Any) -> dict[str, Any]:
    """What a browser sends when the form of the page is saved as it stands."""
    form = page.context["adminform"].form
    fields = {name: form[name].value() for name in form.fields}
    hidden = re.findall(
        r'<input type="hidden" name="(initial-\w+)" value="([^"]*)"', page.content.decode()
    )
    management = re.findall(
        r'name="(\w+-(?:TOTAL|INITIAL)_FORMS)" value="(\d+)"', str(page.content)
    )
    given = {name: value for name, value in fields.items() if value not in (None, False)}
    return given | dict(hidden) | dict(management)


def test_a_study_without_stories_asks_for_stories_first(client: Client) -> None:
    empty = make_study()

    page = client.get(address(empty)).content.decode()

    assert "This study has no stories yet." in page
    assert reverse("admin:studies_study_launch", args=[empty.pk]) not in page


def test_a_study_with_stories_cannot_be_deleted(client: Client, study: Study) -> None:
    response = client.post(reverse("admin:studies_study_delete", args=[study.pk]), {"post": "yes"})

    assert response.status_code == 403
    assert Study.objects.filter(pk=study.pk).exists()


def test_the_first_page_lists_open_rounds(
    client: Client, round: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make_response(round)

    with django_assert_max_num_queries(7):
        page = client.get(reverse("admin:index")).content.decode()

    assert "1 of 8 collected" in page


def test_the_first_page_of_an_empty_site_says_how_to_begin(client: Client) -> None:
    page = client.get(reverse("admin:index")).content.decode()

    assert "Create a study" in page


def test_a_reviewers_first_page_leads_to_the_review_and_says_nothing_of_permissions(
    staff_client: StaffClient,
) -> None:
    page = staff_client("annotation.add_verdict").get(reverse("admin:index")).content.decode()

    assert "Review responses" in page
    assert "permission" not in page
    assert "Everything in the admin" not in page
    nothing = staff_client().get(reverse("admin:index")).content.decode()
    assert "have permission to view or edit anything" in nothing


def test_the_menu_shows_what_a_person_may_see(staff_client: StaffClient, study: Study) -> None:
    page = staff_client("studies.view_study").get(LIST).content.decode()

    assert LIST in page
    assert reverse("admin:studies_payment_changelist") not in page
    assert reverse("admin:marketplace_requester_changelist") not in page


def test_jobs_are_listed_with_state_progress_person_and_time(
    client: Client, study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for done in range(3):
        Job.objects.create(
            kind="publish_round", study=study, state=JobState.DONE, done=done, total=1200
        )

    with django_assert_max_num_queries(8):
        page = client.get(reverse("admin:studies_job_changelist")).content.decode()

    assert "2 of 1,200" in page
    assert "Publish" in page


def test_staff_without_permissions_see_no_study(staff_client: StaffClient, study: Study) -> None:
    client = staff_client()

    assert client.get(LIST).status_code == 403
    assert client.get(address(study)).status_code == 403
