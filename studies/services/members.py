"""Who works on a study."""

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from studies.models import Membership, Study, StudyRole

# What the accounts of a role may do comes from the group of its name.
GROUPS = {StudyRole.RESEARCHER: "Researcher", StudyRole.REVIEWER: "Reviewer"}


class NoSuchAccount(Exception):
    """Nobody signs in under that name; the text says so."""


def accounts_with_a_role() -> QuerySet[User]:
    """Those in the group of a role, and whoever works on a study already; by name."""
    grouped = User.groups.through.objects.filter(group__name__in=GROUPS.values())
    members = Membership.objects.values_list("user_id", flat=True)
    found = grouped.values_list("user_id", flat=True).union(members)
    return User.objects.filter(pk__in=found).order_by("username")


def find_account(username: str) -> User:
    """Raises NoSuchAccount."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NoSuchAccount(_("There is no account “%(name)s”.") % {"name": username})
    return user


def add_member(*, study: Study, user: User, role: StudyRole) -> Membership:
    """Let the account work on the study in that role; a member's role is changed."""
    member, _made = Membership.objects.update_or_create(
        study=study, user=user, defaults={"role": role}
    )
    return member


@transaction.atomic
def admit(*, user: User, role: StudyRole) -> None:
    """Let the account into the admin, with what its role may do."""
    group, _made = Group.objects.get_or_create(name=GROUPS[role])
    user.groups.add(group)
    User.objects.filter(pk=user.pk).update(is_staff=True)
