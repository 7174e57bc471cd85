"""The groups that staff are put into. What they may do, they may do in their own studies alone."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.models import Group, Permission
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from studies.models import StudyRole
from studies.services.members import GROUPS

PERMISSIONS = {
    StudyRole.RESEARCHER: {
        "studies": [
            *("view_study", "add_study", "change_study"),
            *("view_membership", "add_membership"),
            *("view_story", "add_story", "change_story"),
            *("view_round", "add_round", "change_round"),
            *("view_participant", "change_participant"),
            "view_response",
            *("view_payment", "add_payment"),
            *("view_job", "change_job"),
        ],
        "config": ["view_apitoken", "add_apitoken", "change_apitoken"],
        "annotation": [
            *("view_reviewplan", "change_reviewplan"),
            *("view_draw", "add_draw"),
            *("view_pool", "add_pool"),
            *("view_verdict", "add_verdict"),
            *("view_decision", "add_decision"),
            *("view_release", "add_release"),
        ],
        "modeling": [*("view_run", "add_run", "change_run"), "view_generation"],
        "evaluation": [
            *("view_instrument", "add_instrument"),
            *("view_resultfile", "add_resultfile", "change_resultfile"),
            *("view_item", "view_rating", "view_ratinground"),
        ],
    },
    StudyRole.REVIEWER: {"annotation": ["add_verdict"]},
}


@receiver(post_migrate)
def make_groups(sender: AppConfig, using: str, **_: Any) -> None:
    """Once an app has its permissions. Whatever else an administrator gave a group stays."""
    for role, by_app in PERMISSIONS.items():
        if sender.label in by_app:
            grant(role, sender.label, by_app[sender.label], using)


def grant(role: StudyRole, app: str, names: list[str], using: str = "default") -> None:
    group, _made = Group.objects.using(using).get_or_create(name=GROUPS[role])
    found = Permission.objects.using(using).filter(content_type__app_label=app, codename__in=names)
    group.permissions.add(*found)
