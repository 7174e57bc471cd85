"""Who works on a study: made with it, added on its page, named on the command line."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from studies.models import Membership, Study, StudyRole
from tests.studies.factories import make_study
from tests.studies.members import make_member

pytestmark = pytest.mark.django_db
NEW = {"title": "Endings", "slug": "endings"}


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def form_of(study: Study, *members: tuple[User, StudyRole], initial: int = 0) -> dict[str, Any]:
    """What the study's page sends, with these members in rows behind the first `initial`."""
    data: dict[str, Any] = {
        "title": study.title,
        "slug": study.slug,
        "memberships-TOTAL_FORMS": initial + len(members),
        "memberships-INITIAL_FORMS": initial,
    }
    for row, (user, role) in enumerate(members, initial):
        data |= {
            f"memberships-{row}-user": user.pk,
            f"memberships-{row}-role": role.value,
            f"memberships-{row}-study": study.pk,
        }
    return data


def address(study: Study) -> str:
    return reverse("admin:studies_study_change", args=[study.pk])


def test_whoever_makes_a_study_becomes_its_researcher() -> None:
    lea = make_member()

    assert signed_in(lea).post(reverse("admin:studies_study_add"), NEW).status_code == 302

    made = Membership.objects.get()
    assert (made.study.slug, made.user, made.role) == ("endings", lea, StudyRole.RESEARCHER)


def test_a_researcher_adds_a_reviewer_on_the_studys_page() -> None:
    study = make_study()
    lea, kim = make_member(study), make_member(role=StudyRole.REVIEWER, name="kim")
    client = signed_in(lea)
    assert "kim" in client.get(address(study)).content.decode()

    answer = client.post(address(study), form_of(study, (kim, StudyRole.REVIEWER)))

    assert answer.status_code == 302
    assert Membership.objects.get(user=kim).role == StudyRole.REVIEWER


def test_workers_accounts_are_not_offered_and_not_taken() -> None:
    study = make_study()
    lea, worker = make_member(study), User.objects.create_user("a-worker")
    client = signed_in(lea)

    answer = client.post(address(study), form_of(study, (worker, StudyRole.REVIEWER)))

    assert "a-worker" not in client.get(address(study)).content.decode()
    assert answer.status_code == 200
    assert not Membership.objects.filter(user=worker).exists()


def test_a_researcher_takes_nobody_out_and_a_superuser_does() -> None:
    study = make_study()
    lea, kim = make_member(study), make_member(study, name="kim")
    ada = User.objects.create_superuser("ada")
    data = form_of(study, initial=2)
    for row, member in enumerate(study.memberships.order_by("pk")):
        data |= {f"memberships-{row}-id": member.pk, f"memberships-{row}-study": study.pk}
        data |= {f"memberships-{row}-user": member.user_id, f"memberships-{row}-role": member.role}
    data |= {"memberships-1-DELETE": "on"}

    signed_in(lea).post(address(study), data)
    assert Membership.objects.filter(user=kim).exists()

    signed_in(ada).post(address(study), data)
    assert not Membership.objects.filter(user=kim).exists()


def test_the_command_makes_a_study_with_its_members(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("lea", "kim"):
        User.objects.create_user(name)

    members = ["--member", "lea", "--member", "kim:reviewer"]
    call_command("create_study", "moods", *members, "--format", "json")

    said = json.loads(capsys.readouterr().out)
    assert said["members"] == {"lea": "researcher", "kim": "reviewer"}
    assert dict(Membership.objects.values_list("user__username", "role")) == said["members"]
    assert User.objects.get(username="kim").has_perms(["annotation.add_verdict"])
    assert User.objects.get(username="lea").is_staff


@pytest.mark.parametrize(
    ("member", "said"),
    [("nobody", "There is no account “nobody”."), ("lea:guest", "“guest” is no role")],
)
def test_a_member_who_cannot_be_added_leaves_no_study_behind(member: str, said: str) -> None:
    User.objects.create_user("lea")

    with pytest.raises(CommandError, match=said):
        call_command("create_study", "moods", "--member", member)

    assert not Study.objects.exists()


@pytest.mark.parametrize("gone", ["first", "last"])
@pytest.mark.parametrize("who", ["anybody", "researcher"])
def test_a_page_opened_before_a_member_was_removed_is_saved_all_the_same(
    gone: str, who: str
) -> None:
    study = make_study()
    for name in ("first", "kim", "last"):
        make_member(study, role=StudyRole.REVIEWER, name=name)
    lea = make_member(study)
    client = signed_in(lea if who == "researcher" else User.objects.create_superuser("ada"))
    rows = list(Membership.objects.filter(study=study).order_by("pk"))
    opened = form_of(study, *((row.user, StudyRole(row.role)) for row in rows))
    opened |= {f"memberships-{place}-id": row.pk for place, row in enumerate(rows)}
    if who == "researcher":  # Who adds members and changes none has them in words alone.
        opened = {
            name: sent for name, sent in opened.items() if name[-5:] not in ("-user", "-role")
        }
    opened |= {"memberships-INITIAL_FORMS": 4, "contact": "lab@example.org"}
    Membership.objects.get(user__username=gone).delete()

    answer = client.post(address(study), opened)

    assert answer.status_code == 302
    study.refresh_from_db()
    assert study.contact == "lab@example.org"
    left = Membership.objects.filter(study=study).values_list("user__username", flat=True)
    assert set(left) == {"first", "kim", "last", lea.username} - {gone}
