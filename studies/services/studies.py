from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from studies.changing import change_fields
from studies.models import Study, StudyRole
from studies.services.members import NoSuchAccount, add_member, find_account

# What researchers change of a study, in the admin's order.
SETTINGS = (
    *("title", "slug", "consent_text", "records_process", "contact"),
    *("budget_usd", "worker_cap"),
)


class StudyRefused(Exception):
    """The study cannot be made; the text says why."""


@transaction.atomic
def create_study(
    *, slug: str, title: str = "", members: Mapping[str, StudyRole] | None = None
) -> Study:
    """A study without stories. The title is made from the slug when none is given.

    `members` are user names with their roles. Raises StudyRefused when there is no such account,
    or when the slug is taken or not made of letters, digits, - and _.
    """
    study = Study(slug=slug, title=title or slug.replace("-", " ").replace("_", " ").capitalize())
    try:
        study.full_clean()
    except ValidationError as error:
        if Study.objects.filter(slug=slug).exists():
            raise StudyRefused(_is_taken(slug)) from error
        raise StudyRefused(" ".join(error.messages)) from error
    try:
        with transaction.atomic():
            study.save()
    except IntegrityError as error:
        # Somebody was quicker by less than the look before took.
        raise StudyRefused(_is_taken(slug)) from error
    try:
        for name, role in (members or {}).items():
            add_member(study=study, user=find_account(name), role=role)
    except NoSuchAccount as error:
        raise StudyRefused(str(error)) from error
    return study


def change_study(*, study: Study, changes: Mapping[str, Any]) -> Study:
    """Raises ValidationError."""
    try:
        return change_fields(study, changes, fields=SETTINGS)
    except IntegrityError as error:
        if "slug" not in changes:
            raise
        raise ValidationError({"slug": _is_taken(changes["slug"])}) from error


def _is_taken(slug: str) -> str:
    return _("There is a study “%(slug)s” already.") % {"slug": slug}
