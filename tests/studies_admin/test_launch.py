import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from studies.models import Eligibility, Job, Round, Study
from tests.studies.factories import make_participant, make_round, make_study
from tests.studies_admin.conftest import StaffClient
from tests.studies_admin.responses import make_response


def filled_in(**changes: Any) -> dict[str, Any]:
    return {
        "task_type": "state_annotation",
        "overlap": "3",
        "limit": "2",
        "reward_usd": "0.35",
        "target_hourly_usd": "",
        "time_limit": "1h30m",
        "lifetime": "7d",
        "auto_approval_delay": "3d",
        "eligibility": "open",
        "seed": "11",
        "launch_key": str(uuid.uuid4()),
    } | changes


def address(study: Study) -> str:
    return reverse("admin:studies_study_launch", args=[study.pk])


def test_the_form_opens_filled_in_and_with_an_estimate_of_its_defaults(
    client: Client, study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(10):
        response = client.get(address(study))

    page = response.content.decode()
    assert response.status_code == 200
    assert "4 tasks × 3 × $0.35" in page
    assert "$5.04" in page
    assert "not known yet: run a pilot" in page
    assert response.context["form"]["time_limit"].value() == "30m"
    assert response.context["form"]["seed"].value() > 0


def test_the_estimate_follows_what_is_typed(client: Client, study: Study) -> None:
    where = reverse("admin:studies_study_estimate", args=[study.pk])

    page = client.get(where, filled_in(overlap="5", limit="")).content.decode()

    assert "4 tasks × 5 × $0.35" in page
    assert "$8.40" in page
    assert "<html" not in page


def test_the_estimate_waits_for_a_complete_form(client: Client, study: Study) -> None:
    where = reverse("admin:studies_study_estimate", args=[study.pk])

    page = client.get(where, filled_in(overlap="")).content.decode()

    assert "appears when the form is complete" in page


def test_a_known_median_time_gives_the_hourly_pay_and_suggests_a_reward(
    client: Client, study: Study
) -> None:
    make_response(make_round(study), minutes=6)

    response = client.get(
        address(study), filled_in(step="estimate", target_hourly_usd="12") | {"step": "estimate"}
    )

    page = response.content.decode()
    assert "$3.50" in page
    assert response.context["suggested_usd"] == Decimal("1.20")
    assert "6 min for one task" in page


def test_a_suggested_reward_is_taken_over_without_javascript(client: Client, study: Study) -> None:
    response = client.get(address(study), filled_in(use_reward="1.20"))

    assert response.context["form"]["reward_usd"].value() == "1.20"
    assert response.context["estimate"].rewards_usd == Decimal("7.20")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"overlap": "0"}, "Write at least 1."),
        ({"overlap": "101"}, "Write at most 100."),
        ({"overlap": "three"}, "Write a number"),
        ({"reward_usd": "-1"}, "Write at least 0."),
        ({"reward_usd": "0.355"}, "Write whole cents"),
        ({"time_limit": "half an hour"}, "is not a duration"),
        ({"time_limit": "1s"}, "The time limit is from 30 seconds to 365 days."),
        ({"lifetime": "9999d"}, "The lifetime is from 30 seconds to 365 days."),
        ({"auto_approval_delay": "60d"}, "Automatic approval comes after 0 to 30 days."),
        ({"limit": "0"}, "Write at least 1."),
        ({"limit": str(10**20)}, "Write at most 1000000."),
        ({"seed": "-4"}, "Write at least 0."),
        ({"task_type": "poem"}, "poem"),
        ({"worker_cap": "0"}, "Write at least 1."),
        ({"apart_from": ["9999"]}, "This study has no such round."),
    ],
)
def test_what_cannot_be_launched_is_said_on_the_form(
    client: Client, study: Study, changes: dict[str, str], sentence: str
) -> None:
    response = client.get(address(study), filled_in(**changes) | {"step": "review"})

    assert sentence in response.content.decode()
    assert "csrfmiddlewaretoken" not in str(response.context["form"].data)
    assert not Round.objects.exists()


def test_the_review_page_says_what_will_happen_and_launches_nothing(
    client: Client, study: Study
) -> None:
    response = client.get(address(study), filled_in() | {"step": "review"})

    page = response.content.decode()
    assert "Review the round" in page
    assert "1h30m" in page
    assert "Anybody who has access to the marketplace." in page
    assert not Round.objects.exists()


def test_launching_makes_the_round_and_wakes_its_job(
    client: Client, study: Study, woken: list[Job]
) -> None:
    given = filled_in(pilot="on")

    response = client.post(address(study), given)

    round = Round.objects.get()
    assert response.status_code == 303
    assert response["Location"] == reverse("admin:studies_round_change", args=[round.pk])
    assert (round.overlap, round.reward_usd, round.pilot) == (3, Decimal("0.35"), True)
    assert round.time_limit.total_seconds() == 5400
    assert round.tasks.count() == 2
    assert round.seed == 11
    assert str(round.launch_key) == given["launch_key"]
    assert [job.kind for job in woken] == ["publish_round"]


def test_launching_twice_with_one_key_makes_one_round(
    client: Client, study: Study, woken: list[Job]
) -> None:
    given = filled_in()
    client.post(address(study), given)

    again = client.post(address(study), given, follow=True)

    assert Round.objects.count() == 1
    assert len(woken) == 1
    assert "You launched this round already" in again.content.decode()


def test_a_launch_without_a_key_is_refused(client: Client, study: Study, woken: list[Job]) -> None:
    response = client.post(address(study), filled_in(launch_key=""))

    assert response.status_code == 422
    assert not Round.objects.exists()


def test_a_launch_above_the_budget_asks_first(
    client: Client, study: Study, woken: list[Job]
) -> None:
    study.budget_usd = Decimal("1.00")
    study.save()
    given = filled_in()

    asked = client.post(address(study), given)
    confirmed = client.post(address(study), given | {"above_budget": "on"})

    assert asked.status_code == 422
    assert "more than what is left of the budget" in asked.content.decode()
    assert confirmed.status_code == 303
    assert Round.objects.count() == 1


def test_a_launch_that_pays_nothing_asks_first(
    client: Client, study: Study, woken: list[Job]
) -> None:
    study.budget_usd = Decimal("0.00")
    study.save()
    given = filled_in(reward_usd="0.00")

    asked = client.post(address(study), given)
    before = Round.objects.count()
    confirmed = client.post(address(study), given | {"unpaid": "on"})

    assert asked.status_code == 422
    assert "This pays nothing. Tick the box to launch it." in asked.content.decode()
    assert 'name="unpaid"' in asked.content.decode()
    assert before == 0
    assert confirmed.status_code == 303
    assert Round.objects.get().reward_usd == 0


def test_rounds_that_are_open_already_count_against_the_budget(
    client: Client, study: Study
) -> None:
    study.budget_usd = Decimal("5.00")
    study.save()
    make_round(study, overlap=2)

    response = client.get(address(study), filled_in() | {"step": "review"})

    assert response.context["money"].left_usd == Decimal("1.64")
    assert response.context["above_budget"]


def test_a_budget_that_is_exceeded_is_told_as_an_amount_of_money(
    client: Client, study: Study
) -> None:
    study.budget_usd = Decimal("1000.00")
    study.save()
    round = make_round(study, overlap=2)
    Round.objects.update(reward_usd=Decimal("300.00"))

    launch = client.get(address(study), filled_in() | {"step": "review"}).content.decode()
    extend = client.get(
        reverse("admin:studies_round_extend", args=[round.pk]),
        {"overlap": "1", "stories": "0", "seen_wanted": "8", "step": "estimate"},
    ).content.decode()
    of_study = client.get(reverse("admin:studies_study_change", args=[study.pk])).content.decode()
    of_round = client.get(reverse("admin:studies_round_change", args=[round.pk])).content.decode()

    for page in (launch, extend):
        assert "−$1,880.00" in page
        assert "; nothing is left." in page
    assert "−$1,880.00" in of_study
    assert "$1,000.00, exceeded by $1,880.00" in of_round
    assert "$-" not in launch + extend + of_study + of_round


def test_proficient_workers_are_needed_for_a_round_for_proficient_workers(
    client: Client, study: Study, woken: list[Job]
) -> None:
    given = filled_in(eligibility=Eligibility.PROFICIENT)

    refused = client.post(address(study), given)
    participant = make_participant(make_round(study))
    participant.qualified_at = participant.created_at
    participant.save()
    launched = client.post(address(study), given)

    assert refused.status_code == 422
    assert "No worker of this study is proficient yet" in refused.content.decode()
    assert launched.status_code == 303


def test_a_study_without_stories_says_so(client: Client, woken: list[Job]) -> None:
    empty = make_study()

    shown = client.get(address(empty))
    refused = client.post(address(empty), filled_in(limit=""))

    assert "no stories yet" in shown.content.decode()
    assert refused.status_code == 422
    assert "This study has no stories. Import some first." in refused.content.decode()


def test_staff_without_the_permission_are_refused(staff_client: StaffClient, study: Study) -> None:
    client = staff_client("studies.view_study", "studies.view_round")

    assert client.get(address(study)).status_code == 403
    assert client.post(address(study), filled_in()).status_code == 403
    assert not Round.objects.exists()


def test_people_who_are_not_staff_are_sent_to_the_admins_sign_in(
    staff_client: StaffClient, study: Study
) -> None:
    for client in (Client(), staff_client("studies.add_round", staff=False)):
        response = client.post(address(study), filled_in())

        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")
    assert not Round.objects.exists()


def test_an_unknown_study_is_not_found(client: Client, db: None) -> None:
    assert client.get("/admin/studies/study/999/launch/").status_code == 404


def test_limits_on_workers_go_from_the_form_over_the_review_into_the_round(
    client: Client, study: Study, woken: list[Job]
) -> None:
    first, second = make_round(study), make_round(study)
    chosen = filled_in(worker_cap="20", apart_from=[str(first.pk), str(second.pk)])

    review = client.get(address(study), chosen | {"step": "review"})
    assert "at most 20" in review.content.decode()
    assert "round 2, round 1" in " ".join(review.content.decode().split())
    back = client.get(f"{address(study)}?{review.context['back']}").context["form"]
    assert (back["worker_cap"].value(), len(back["apart_from"].value())) == ("20", 2)
    hidden = [field.as_hidden() for field in review.context["form"] if field.name == "apart_from"]
    assert all(f'value="{round.pk}"' in hidden[0] for round in (first, second))
    client.post(address(study), chosen)

    launched = study.rounds.get(number=3)
    assert launched.worker_cap == 20
    assert set(launched.apart_from.all()) == {first, second}
    page = client.get(reverse("admin:studies_round_change", args=[first.pk])).content.decode()
    assert reverse("admin:studies_round_change", args=[launched.pk]) in page
    assert "Kept apart from" in page


def test_the_form_offers_no_rounds_of_another_study(client: Client, study: Study) -> None:
    other = make_round()
    make_round(study)

    page = client.get(address(study))

    assert [round.study for _box, round in page.context["form"].apart_options] == [study]
    refused = client.post(address(study), filled_in(apart_from=[str(other.pk)]))
    assert refused.status_code == 422


def test_a_studys_own_cap_is_set_on_its_page_and_said_at_the_launch(
    client: Client, study: Study
) -> None:
    where = reverse("admin:studies_study_change", args=[study.pk])
    form = client.get(where).context["adminform"].form
    fields = {name: form.initial.get(name) or "" for name in form.fields}

    members = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    client.post(where, fields | members | {"worker_cap": "150"})

    study.refresh_from_db()
    assert study.worker_cap == 150
    assert "150 tasks of one worker" in client.get(address(study)).content.decode()


def test_a_study_without_consent_text_is_pointed_out_before_the_launch(
    client: Client, study: Study
) -> None:
    words = "The study has no consent text"
    Study.objects.update(consent_text="Of your own free will.")
    with_text = client.get(address(study), filled_in() | {"step": "review"}).content.decode()
    Study.objects.update(consent_text="")
    without = client.get(address(study), filled_in() | {"step": "review"}).content.decode()

    assert words not in with_text
    assert words in without
