"""The groups that are there after every migration."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command

from config.roles import PERMISSIONS
from studies.models import StudyRole
from studies.services.members import GROUPS
from tests.studies.members import make_member

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("role", StudyRole)
def test_a_group_of_each_role_has_what_the_role_needs_and_nothing_else(role: StudyRole) -> None:
    named = {f"{app}.{name}" for app, names in PERMISSIONS[role].items() for name in names}

    assert make_member(role=role).get_all_permissions() == named


def test_a_reviewer_may_judge_and_do_nothing_else() -> None:
    assert make_member(role=StudyRole.REVIEWER).get_all_permissions() == {"annotation.add_verdict"}


def test_migrating_again_keeps_what_an_administrator_gave_and_gives_back_what_is_missing() -> None:
    group = Group.objects.get(name=GROUPS[StudyRole.REVIEWER])
    given = Permission.objects.get(codename="view_story")
    group.permissions.set([given])

    for _ in range(2):
        call_command("migrate", verbosity=0)

    assert sorted(group.permissions.values_list("codename", flat=True)) == [
        "add_verdict",
        "view_story",
    ]
