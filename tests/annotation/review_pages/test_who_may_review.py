"""A reviewer sees their own turns and nothing else; nobody else sees those."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from annotation.models import ReviewPlan, ReviewSource, Turn, Verdict
from studies.models import Contribution, Membership, Response, ResponseState, Study, StudyRole
from tests.annotation.review_pages.conftest import signed_in
from tests.annotation.review_pages.desk import make_contribution, make_desk, make_reviewer
from tests.annotation.review_pages.test_review import start
from tests.studies.factories import make_round, make_stories
from tests.studies_admin.responses import make_response

ELSEWHERE = (
    "admin:studies_study_changelist",
    "admin:studies_response_changelist",
    "admin:studies_participant_changelist",
    "admin:studies_payment_changelist",
    "admin:annotation_reviewplan_changelist",
    "admin:auth_user_changelist",
    "admin:config_auditentry_changelist",
    "admin:marketplace_worker_changelist",
)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_reviewer_opens_no_other_page_of_the_admin(client: Client, name: str) -> None:
    assert client.get(reverse(name)).status_code == 403


def test_a_reviewer_opens_no_response_page(client: Client, plan: ReviewPlan) -> None:
    response = Contribution.objects.earliest("pk").response

    address = reverse("admin:studies_response_change", args=[response.pk])

    assert client.get(address).status_code in {403, 404}


def test_the_menu_leads_a_reviewer_to_the_review_alone(client: Client, plan: ReviewPlan) -> None:
    page = client.get(reverse("admin:annotation_review")).content.decode()

    assert 'href="/admin/annotation/turn/"' in page
    for name in ELSEWHERE:
        assert f'href="{reverse(name)}"' not in page


def test_anothers_turn_is_not_found(client: Client, plan: ReviewPlan) -> None:
    other = signed_in(make_reviewer(plan.study, "bertrand"))
    address = start(other, plan)

    for place in ("", "upcoming/"):
        assert client.get(address + place).status_code == 404
    for place in ("", "later/", "undo/"):
        assert client.post(address + place, {"grade": "good"}).status_code == 404
    assert not Turn.objects.exclude(done_at=None, deferred_at=None).exists()


def test_another_study_is_not_found(client: Client, plan: ReviewPlan) -> None:
    other = make_desk().study
    foreign = Contribution.objects.filter(response__assignment__task__round__study=other)[0]

    for name in ("next", "put_off", "disputed"):
        address = reverse(f"admin:annotation_review_{name}", args=[other.pk])
        assert client.get(address).status_code == 404
    one = reverse("admin:annotation_review_one", args=[foreign.pk])
    researcher = signed_in(make_researcher(plan.study))
    assert researcher.post(one).status_code == 404


def test_a_turn_of_a_study_that_one_left_is_not_found(
    client: Client, plan: ReviewPlan, reviewer: User
) -> None:
    address = start(client, plan)
    Membership.objects.filter(user=reviewer).delete()

    assert client.get(address).status_code == 404


def test_without_the_permission_a_member_cannot_review(plan: ReviewPlan) -> None:
    user = User.objects.create_user("carla", is_staff=True)
    Membership.objects.create(study=plan.study, user=user, role=StudyRole.RESEARCHER)
    client = signed_in(user)

    for name, args in (("annotation_review", []), ("annotation_review_next", [plan.study_id])):
        assert client.get(reverse(f"admin:{name}", args=args)).status_code == 403


def test_who_is_not_signed_in_is_sent_to_sign_in(plan: ReviewPlan) -> None:
    answer = Client().get(reverse("admin:annotation_review_next", args=[plan.study_id]))

    assert answer.status_code == 302
    assert "/admin/login/" in answer["Location"]


def test_what_changes_something_is_posted(client: Client, plan: ReviewPlan) -> None:
    address = start(client, plan)
    contribution = Contribution.objects.earliest("pk")

    for place in (f"{address}later/", f"{address}undo/"):
        assert client.get(place).status_code == 405
    one = reverse("admin:annotation_review_one", args=[contribution.pk])
    assert signed_in(make_researcher(plan.study)).get(one).status_code == 405


def test_an_expert_opens_no_response_of_their_own_choice(client: Client, plan: ReviewPlan) -> None:
    one = reverse("admin:annotation_review_one", args=[outside_the_sample(plan).pk])

    assert client.post(one).status_code == 403
    assert client.get(one).status_code == 403
    assert not Turn.objects.exists()


def test_a_researcher_without_a_part_in_the_study_finds_no_plan(plan: ReviewPlan) -> None:
    user = User.objects.create_user("carla", is_staff=True)
    for codename in ("view_reviewplan", "change_reviewplan", "add_draw", "add_pool"):
        user.user_permissions.add(
            Permission.objects.get(content_type__app_label="annotation", codename=codename)
        )
    client = signed_in(user)

    page = reverse("admin:annotation_reviewplan_change", args=[plan.pk])
    assert client.get(page).status_code == 404
    for name in ("top_up", "draw_pool"):
        button = reverse(f"admin:annotation_reviewplan_{name}", args=[plan.pk])
        assert client.post(button, {"size": "2"}).status_code == 404


def test_a_single_response_outside_the_sample_is_opened_from_its_page(plan: ReviewPlan) -> None:
    single = outside_the_sample(plan)
    client = signed_in(User.objects.create_superuser("ada"))
    response_page = reverse("admin:studies_response_change", args=[single.response_id])
    button = reverse("admin:annotation_review_one", args=[single.pk])

    assert button in client.get(response_page).content.decode()
    address = client.post(button)["Location"]
    page = client.get(address).content.decode()
    client.post(address, {"grade": "correct"})

    assert "outside the sample: does not count for the rate" in page
    assert Verdict.objects.get().source == ReviewSource.SINGLE


def test_what_is_in_the_sample_is_not_offered_outside_it(plan: ReviewPlan) -> None:
    sampled = Contribution.objects.exclude(pick=None)[0]
    client = signed_in(User.objects.create_superuser("ada"))

    page = client.get(reverse("admin:studies_response_change", args=[sampled.response_id]))

    assert reverse("admin:annotation_review_one", args=[sampled.pk]) not in page.content.decode()


def test_what_is_not_confirmed_cannot_be_opened(plan: ReviewPlan) -> None:
    client = signed_in(make_researcher(plan.study))
    single = outside_the_sample(plan)
    Response.objects.filter(pk=single.response_id).update(state=ResponseState.UNCONFIRMED)

    answer = client.post(reverse("admin:annotation_review_one", args=[single.pk]), follow=True)

    assert "cannot be reviewed" in answer.content.decode()
    assert not Turn.objects.exists()


def make_researcher(study: Study) -> User:
    user = make_reviewer(study, "carla", StudyRole.RESEARCHER)
    user.user_permissions.add(
        Permission.objects.get(content_type__app_label="studies", codename="view_response")
    )
    return user


def outside_the_sample(plan: ReviewPlan) -> Contribution:
    """A response that came after the drawing."""
    round = plan.rounds.get()
    make_stories(plan.study, 1)
    later = make_round(plan.study, overlap=1)
    plan.rounds.add(later, round)
    return make_contribution(make_response(later))
