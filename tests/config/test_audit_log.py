"""Every staff action is written down once, with who, when, what, which and from where."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

import manage
from config.audit import record
from config.models import AuditEntry, Origin
from marketplace.models import Requester
from studies.models import Job, Round, RoundState, Study
from studies.services import rounds
from tests.marketplace_site.people import make_signed_up
from tests.studies.factories import make_round, make_study

pytestmark = pytest.mark.django_db
PASSWORD = "a lantern on the pier"


@pytest.fixture
def staff() -> User:
    return User.objects.create_superuser("ines", password=PASSWORD)


@pytest.fixture
def client(staff: User) -> Client:
    client = Client(headers={"x-request-id": "edge-0123"}, REMOTE_ADDR="192.0.2.7")
    client.force_login(staff)
    return client


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    seen: list[Job] = []
    monkeypatch.setattr("studies.tasks.wake", seen.append)
    return seen


def the_entry() -> AuditEntry:
    return AuditEntry.objects.get()


def study_fields(study: Study, **changes: Any) -> dict[str, Any]:
    model_admin_fields = {"slug": study.slug, "title": study.title, "consent_text": ""}
    return model_admin_fields | {"budget_usd": ""} | changes


def test_a_change_in_the_admin_says_who_when_what_which_and_from_where(
    client: Client, staff: User
) -> None:
    other = User.objects.create_user("omar")

    response = client.post(
        reverse("admin:auth_user_password_change", args=[other.pk]),
        {"usable_password": "true", "password1": PASSWORD * 2, "password2": PASSWORD * 2},
    )

    assert response.status_code == 302
    entry = the_entry()
    assert (entry.origin, entry.actor, entry.actor_pk) == ("admin", "ines", staff.pk)
    assert entry.address == "192.0.2.7"
    assert entry.request_id == "edge-0123"
    assert entry.action == "auth_user_password_change"
    assert "omar" in entry.target
    assert "password" in str(entry.detail).lower()
    assert PASSWORD not in str(entry.detail)


def test_a_new_row_and_its_fields_are_named(client: Client) -> None:
    client.post(
        reverse("admin:auth_user_add"),
        {
            "username": "omar",
            "usable_password": "true",
            "password1": PASSWORD,
            "password2": PASSWORD,
        },
    )

    made = User.objects.get(username="omar")
    assert the_entry().target.endswith(f"{made.pk} “omar”")


def test_an_action_on_a_list_names_the_rows(client: Client) -> None:
    others = [User.objects.create_user(f"worker-{number}") for number in range(3)]
    chosen = [str(user.pk) for user in others]

    client.post(
        reverse("admin:auth_user_changelist"),
        {"action": "delete_selected", "_selected_action": chosen, "post": "yes"},
    )

    assert User.objects.count() == 1
    entry = the_entry()
    assert entry.action == "auth_user_changelist delete_selected"
    assert entry.target == ", ".join(chosen)
    assert len(entry.detail) == 3


def test_what_cannot_be_stored_is_left_out_of_an_entry(client: Client) -> None:
    client.post(f"/admin/auth/user/{'%00' * 400}7/", {})

    assert the_entry().target == "7"


def test_a_form_with_what_cannot_be_stored_changes_nothing(client: Client) -> None:
    answer = client.post(reverse("admin:studies_approve"), {"_selected_action": "\0"})

    assert answer.status_code == 400
    assert not AuditEntry.objects.filter(origin=Origin.ADMIN).exists()


def test_keys_made_are_written_down_and_are_not_in_the_log(client: Client) -> None:
    requester = Requester.objects.create(name="Lab")

    client.post(
        reverse("admin:marketplace_requester_changelist"),
        {"action": "make_key", "_selected_action": [str(requester.pk)]},
    )

    entry = the_entry()
    key = requester.keys.get()
    assert entry.action == "marketplace_requester_changelist make_key"
    assert key.secret_access_key not in str(entry.detail) + entry.target


def test_buttons_of_our_own_pages_are_written_down(client: Client, woken: list[Job]) -> None:
    round = make_round()

    client.post(reverse("admin:studies_round_pause", args=[round.pk]))

    entry = the_entry()
    assert entry.action == "studies_round_pause"
    assert f"{round.pk}" in entry.target
    assert "paused" in str(entry.detail)


def test_looking_asking_again_and_being_refused_are_no_actions(client: Client) -> None:
    client.get(reverse("admin:auth_user_changelist"))
    client.post(reverse("admin:auth_user_add"), {"username": ""})
    assert not AuditEntry.objects.exists()

    poor = Client()
    poor.force_login(User.objects.create_user("kim", is_staff=True))
    assert poor.post(reverse("admin:auth_user_add"), {"username": "x"}).status_code == 403
    assert not AuditEntry.objects.exists()


def test_a_request_that_fails_changes_nothing_and_records_nothing(
    client: Client, woken: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    round = make_round()
    pause = rounds.pause_round

    def pause_and_fall(**given: Any) -> Job:
        pause(**given)
        raise RuntimeError("after the change")

    monkeypatch.setattr(rounds, "pause_round", pause_and_fall)
    client.raise_request_exception = False

    response = client.post(reverse("admin:studies_round_pause", args=[round.pk]))

    assert response.status_code == 500
    assert Round.objects.get().state == RoundState.OPEN
    assert not AuditEntry.objects.exists()


def test_the_address_is_the_one_that_trusted_proxies_tell(
    client: Client, settings: Settings
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    client.post(reverse("admin:logout"), headers={"x-forwarded-for": "198.51.100.9, 203.0.113.7"})

    assert (the_entry().action, the_entry().address) == ("signed out", "203.0.113.7")


def test_staff_who_sign_in_are_written_down_and_workers_are_not(staff: User) -> None:
    make_signed_up("ada", PASSWORD)
    Client().post("/worker/sign-in/", {"login": "ada", "password": PASSWORD})
    assert not AuditEntry.objects.exists()

    Client().post("/admin/login/", {"username": "ines", "password": PASSWORD, "next": "/admin/"})

    assert (the_entry().origin, the_entry().action) == ("sign-in", "signed in")


@pytest.mark.parametrize(
    "statement", ["UPDATE config_auditentry SET actor = 'x'", "DELETE FROM config_auditentry"]
)
def test_the_database_refuses_to_change_or_delete_an_entry(statement: str) -> None:
    record(origin=Origin.ADMIN, actor="ines", action="a")

    with (
        pytest.raises(IntegrityError, match="neither changed nor deleted"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)

    assert the_entry().actor == "ines"


def test_an_entry_outlives_its_account(staff: User) -> None:
    record(origin=Origin.ADMIN, actor="ines", actor_pk=staff.pk, action="a")
    pk = staff.pk
    staff.delete()

    assert the_entry().actor_pk == pk


Run = Callable[..., None]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """A command in this process and transaction, which it would leave by closing connections."""
    monkeypatch.setattr("django.db.utils.ConnectionHandler.close_all", lambda connections: None)
    return lambda *arguments: manage.run_and_record(["manage.py", *arguments])


def test_a_command_that_changes_data_is_written_down(run: Run) -> None:
    run("create_study", "moods")

    entry = the_entry()
    assert (entry.origin, entry.action) == ("command", "manage.py create_study")
    assert entry.target == "moods"
    assert entry.actor
    assert entry.address is None


def test_a_command_that_fails_is_written_down_as_such(run: Run) -> None:
    make_study(slug="moods")

    with pytest.raises(SystemExit):
        run("create_study", "moods")

    assert the_entry().detail == ["exit status 1"]


def test_a_command_that_only_looks_is_not(run: Run) -> None:
    run("showmigrations", "--verbosity", "0")

    assert not AuditEntry.objects.exists()


def test_the_text_of_a_shell_command_is_not_kept(run: Run) -> None:
    run("shell", "--no-imports", "-c", "secret = 1")

    assert (the_entry().action, the_entry().target) == ("manage.py shell", "")


def test_the_list_is_for_those_who_may_see_it_and_changes_nothing(client: Client) -> None:
    entry = record(origin=Origin.ADMIN, actor="<script>ines", action="a")
    page = client.get(reverse("admin:config_auditentry_changelist"), {"origin": "admin"})
    one = reverse("admin:config_auditentry_change", args=[entry.pk])

    assert "&lt;script&gt;ines" in page.content.decode()
    assert client.get(one).status_code == 200
    assert client.post(one, {"actor": "x"}).status_code == 403
    assert client.get(reverse("admin:config_auditentry_add")).status_code == 403

    poor = User.objects.create_user("kim", is_staff=True)
    client.force_login(poor)
    assert client.get(one).status_code == 403
    poor.user_permissions.add(Permission.objects.get(codename="view_auditentry"))
    assert client.get(one).status_code == 200
