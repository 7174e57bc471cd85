"""The admin of the marketplace, of accounts and of the audit log."""

from functools import partial

from django.contrib.auth.models import User
from django.db.models import Model

from config.models import AuditEntry
from marketplace.models import (
    HIT,
    AccessKey,
    Assignment,
    HITType,
    Invitation,
    LedgerEntry,
    Requester,
    Worker,
)
from tests.scenes.scene import Scene, Visit, admin

LISTS = (
    "requester",
    "accesskey",
    "invitation",
    "worker",
    "hittype",
    "hit",
    "assignment",
    "ledgerentry",
    "qualificationtype",
    "qualificationgrant",
    "workerblock",
    "message",
    "notification",
    "notificationdestination",
    "notificationsetting",
)
PAGES: tuple[type[Model], ...] = (
    Requester,
    AccessKey,
    Invitation,
    Worker,
    HITType,
    HIT,
    Assignment,
    LedgerEntry,
    User,
    AuditEntry,
)


def newest(visit: Visit, *, model: type[Model]) -> None:
    with visit.world.stack.django():
        pk = model._default_manager.latest("pk").pk
    options = model._meta
    visit.open_admin(f"{options.app_label}/{options.model_name}/{pk}/change/")


def key_made(visit: Visit) -> None:
    """The secret of a new key, shown once."""
    visit.open_admin("marketplace/requester/")
    visit.page.locator("input.action-select").first.check()
    visit.page.select_option("[name=action]", "make_key")
    visit.page.evaluate("document.getElementById('changelist-form').submit()")
    visit.page.get_by_text("Secret access key").wait_for()


SCENES = [
    *(admin(f"admin-{name}-list", f"marketplace/{name}/") for name in LISTS),
    *(Scene(f"admin-{model._meta.model_name}", partial(newest, model=model)) for model in PAGES),
    Scene("admin-requester-key-made", key_made),
    admin("admin-requester-new", "marketplace/requester/add/"),
    admin("admin-invitation-new", "marketplace/invitation/add/"),
    admin("admin-ledgerentry-new", "marketplace/ledgerentry/add/"),
    admin("admin-user-list", "auth/user/"),
    admin("admin-user-new", "auth/user/add/"),
    admin("admin-group-list", "auth/group/"),
    admin("admin-auditentry-list", "config/auditentry/"),
    admin("admin-password", "password_change/"),
]
