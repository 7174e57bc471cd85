from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from studies.models import (
    Assignment,
    AssignmentState,
    Job,
    JobState,
    ResponseState,
    Round,
    RoundState,
    Study,
)
from tests.studies.factories import free_slot, make_participant
from tests.studies_admin.conftest import StaffClient
from tests.studies_admin.responses import make_response


def address(round: Round) -> str:
    return reverse("admin:studies_round_change", args=[round.pk])


def live(round: Round) -> str:
    return reverse("admin:studies_round_live", args=[round.pk])


def test_the_page_shows_where_the_round_stands(client: Client, round: Round) -> None:
    round.study.budget_usd = 100
    round.study.save()
    make_response(round, assignment_state=AssignmentState.APPROVED, minutes=6)
    make_response(round, state=ResponseState.SUBMITTED)

    response = client.get(address(round))

    page = response.content.decode()
    figures = response.context["figures"]
    assert (figures.collected, figures.wanted, figures.waiting) == (1, 8, 1)
    assert "$3.50" in page
    assert "$0.42" in page
    assert "the study’s budget is $100.00" in page
    assert "Everyone" in page


def test_the_live_part_is_cheap(
    client: Client, round: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _n in range(3):
        make_response(round)

    # The session, the person and the round itself, then the round's six.
    with django_assert_max_num_queries(9):
        response = client.get(live(round))

    assert response.status_code == 200
    assert "<html" not in response.content.decode()


def test_the_whole_page_has_a_query_budget(
    client: Client, round: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make_response(
        round,
        state=ResponseState.UNCONFIRMED,
        assignment_state=AssignmentState.ABANDONED,
    )

    with django_assert_max_num_queries(12):
        client.get(address(round))


def test_an_open_round_asks_again_and_a_closed_one_stops(client: Client, round: Round) -> None:
    asks = client.get(live(round)).content.decode()
    Round.objects.filter(pk=round.pk).update(state=RoundState.CLOSED)

    still = client.get(live(round)).content.decode()

    assert "hx-get" in asks
    assert "hx-get" not in still


def test_a_closed_round_asks_on_while_somebody_works(client: Client, round: Round) -> None:
    Round.objects.filter(pk=round.pk).update(state=RoundState.CLOSED)
    Assignment.objects.create(
        task=round.tasks.all()[0],
        participant=make_participant(round),
        slot=free_slot(round),
        marketplace_id="A1",
        accepted_at=timezone.now(),
    )

    assert "hx-get" in client.get(live(round)).content.decode()


def test_unconfirmed_responses_are_listed_with_what_they_mean(client: Client, round: Round) -> None:
    lost = make_response(
        round,
        state=ResponseState.UNCONFIRMED,
        assignment_state=AssignmentState.ABANDONED,
    )

    page = client.get(address(round)).content.decode()

    assert "1 unconfirmed response: what this means" in page
    assert reverse("admin:studies_response_change", args=[lost.pk]) in page
    assert lost.assignment.participant is not None
    assert lost.assignment.participant.pseudonym in page


def test_no_marketplace_id_is_on_the_page(client: Client, round: Round) -> None:
    participant = make_participant(round, worker_id="AVERYSECRETID")
    make_response(
        round,
        participant=participant,
        state=ResponseState.UNCONFIRMED,
        assignment_state=AssignmentState.ABANDONED,
    )

    assert "AVERYSECRETID" not in client.get(address(round)).content.decode()


def test_publishing_shows_its_progress(client: Client, round: Round) -> None:
    Job.objects.create(
        kind="publish_round",
        study=round.study,
        payload={"round": round.pk},
        state=JobState.RUNNING,
        lease_until=timezone.now(),
        done=3,
        total=8,
        message="Publishing slots",
    )

    page = client.get(live(round)).content.decode()

    assert "Publishing slots" in page
    assert "3 of 8" in page


def test_a_failed_publishing_says_why(client: Client, round: Round) -> None:
    job = Job.objects.create(
        kind="publish_round",
        study=round.study,
        payload={"round": round.pk},
        state=JobState.FAILED,
        error="The marketplace refused: not enough money",
    )

    of_job = client.get(reverse("admin:studies_job_change", args=[job.pk])).content.decode()
    assert "not enough money" in of_job
    assert f'href="{address(round)}"' in of_job
    gone_on = client.get(live(round)).content.decode()
    assert "not enough money" in gone_on
    assert "It is not tried again by itself." in gone_on
    round.slots.create()
    assert "It is tried again by itself" in client.get(live(round)).content.decode()


def test_a_round_whose_lifetime_is_over_can_be_resumed(client: Client, round: Round) -> None:
    Round.objects.filter(pk=round.pk).update(expires_at=timezone.now() - timedelta(minutes=1))

    page = client.get(address(round)).content.decode()

    assert "The lifetime of this round is over" in page
    assert reverse("admin:studies_round_resume", args=[round.pk]) in page


def test_the_hours_come_as_a_table_of_their_own(client: Client, round: Round) -> None:
    at = timezone.now().replace(minute=5)
    make_response(round, submitted_at=at)
    make_response(round, submitted_at=at)

    response = client.get(reverse("admin:studies_round_hours", args=[round.pk]))

    lines = response.content.decode().splitlines()
    assert lines[0] == "hour,responses"
    assert lines[1].endswith(",2")
    assert response["Content-Type"].startswith("text/csv")


def test_an_imported_round_has_no_buttons(client: Client, round: Round) -> None:
    Round.objects.filter(pk=round.pk).update(past=True)

    page = client.get(address(round)).content.decode()

    assert reverse("admin:studies_round_pause", args=[round.pk]) not in page
    assert "hx-get" not in client.get(live(round)).content.decode()


def test_staff_who_may_only_look_see_no_buttons(staff_client: StaffClient, round: Round) -> None:
    page = staff_client("studies.view_round").get(address(round)).content.decode()

    assert "Collected" in page
    assert reverse("admin:studies_round_pause", args=[round.pk]) not in page


def test_who_may_not_see_rounds_is_refused(staff_client: StaffClient, round: Round) -> None:
    client = staff_client("studies.view_study")

    for where in (
        address(round),
        live(round),
        reverse("admin:studies_round_hours", args=[round.pk]),
    ):
        assert client.get(where).status_code == 403
        assert Client().get(where)["Location"].startswith("/admin/login/")


def test_the_list_has_a_query_budget(
    client: Client,
    study: Study,
    round: Round,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    make_response(round)

    with django_assert_max_num_queries(8):
        page = client.get(reverse("admin:studies_round_changelist")).content.decode()

    assert "1 of 8" in page


def test_an_empty_list_says_what_to_do(client: Client, db: None) -> None:
    page = client.get(reverse("admin:studies_round_changelist")).content.decode()

    assert "No round yet" in page
    assert reverse("admin:studies_study_changelist") in page


def test_an_unknown_round_is_not_found(client: Client, db: None) -> None:
    assert client.get("/admin/studies/round/99/change/").status_code == 404
    assert client.get("/admin/studies/round/nonsense/change/").status_code == 404
