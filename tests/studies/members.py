"""Staff who work on studies."""

from django.contrib.auth.models import User

from studies.models import Study, StudyRole
from studies.services.members import add_member, admit


def make_member(*studies: Study, role: StudyRole = StudyRole.RESEARCHER, name: str = "lea") -> User:
    """In the role's group, with that role in these studies."""
    user = User.objects.create_user(name)
    admit(user=user, role=role)
    for study in studies:
        add_member(study=study, user=user, role=role)
    return User.objects.get(pk=user.pk)
