"""A database made before a migration was written anew says so; `migrate` cannot mend it."""

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import ProgrammingError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config.rewritten import what_is_lacking
from config.unmigrated import explain

pytestmark = pytest.mark.django_db

FORMER = {
    "ALTER TABLE marketplace_worker DROP COLUMN unread_messages": (
        "marketplace_worker.unread_messages"
    ),
    "ALTER TABLE marketplace_bonus DROP CONSTRAINT bonus_amount_positive": (
        "marketplace_bonus.bonus_amount_positive"
    ),
    "DROP INDEX qualification_type_unique_name": (
        "marketplace_qualificationtype.qualification_type_unique_name"
    ),
    "DROP TABLE marketplace_message": "marketplace_message",
}


def make_former(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def applied() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationRecorder(connection).applied_migrations())


def test_a_database_of_this_version_lacks_nothing() -> None:
    assert what_is_lacking(applied()) == ""
    # Whose last migrations have not run: what those before make is there.
    assert what_is_lacking(applied() - {("studies", "0001_initial")}) == ""
    assert what_is_lacking(frozenset()) == ""


@pytest.mark.parametrize("statement", FORMER)
def test_what_is_lacking_is_named(client: Client, statement: str) -> None:
    make_former(statement)

    assert what_is_lacking(applied()) == FORMER[statement]
    assert client.get("/readyz").json()["missing"] == ["migrations"]
    with pytest.raises(SystemCheckError, match=f"lacks {FORMER[statement]}, and migrate cannot"):
        call_command("migrate", skip_checks=False)


def test_a_command_says_it_in_a_sentence() -> None:
    make_former("ALTER TABLE marketplace_worker DROP COLUMN unread_messages")

    with pytest.raises(ProgrammingError) as wrong, transaction.atomic():
        connection.cursor().execute("SELECT unread_messages FROM marketplace_worker")

    assert "lacks marketplace_worker.unread_messages" in explain(wrong.value)
    assert "docs/operations.md" in explain(wrong.value)


def test_old_code_does_not_migrate_the_database_of_a_newer_version() -> None:
    MigrationRecorder(connection).record_applied("studies", "0999_newer")

    with pytest.raises(SystemCheckError, match="studies.0999_newer, which this version does not"):
        call_command("migrate", skip_checks=False)
