"""Why a query failed, where the database is away or lacks tables: in a sentence for who ran a
command."""

from django.db import Error, OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from psycopg2.errors import UndefinedColumn, UndefinedTable

from config.rewritten import is_newer, migrations_on_disk, what_is_lacking

LOOK_IT_UP = "docs/operations.md says what to do, under Upgrade."


def explain(error: Error) -> str:
    """Empty where the database answers and has had all migrations: then a program is wrong."""
    if isinstance(error, OperationalError):
        return why_no_database()
    if not isinstance(error.__cause__, UndefinedTable | UndefinedColumn):
        return ""
    try:
        applied = frozenset(MigrationRecorder(connection).applied_migrations())
        return why_unfit(applied)
    except Error:
        return ""


def why_no_database() -> str:
    """Empty where a new connection can be made."""
    connection.close()
    try:
        connection.ensure_connection()
    except OperationalError as error:
        said = " ".join(str(error).split())
        return f"The database that DATABASE_URL names cannot be used: {said}"
    return ""


def why_unfit(applied: frozenset[tuple[str, str]]) -> str:
    if not applied:
        return (
            "There is nothing of Fabula in this database. Where the site is there, set "
            "DATABASE_URL, or FABULA_VAR, as it is set for the site; for a new site, run "
            "manage.py migrate first."
        )
    if missing := sorted(migrations_on_disk() - applied):
        return (
            f"The database has not had {'.'.join(missing[0])}, which this version needs: run "
            "manage.py migrate."
        )
    return why_never_fit(applied)


def why_never_fit(applied: frozenset[tuple[str, str]]) -> str:
    """Why `migrate` cannot make this database fit this version, if it cannot."""
    if newer := sorted(filter(is_newer, applied)):
        return (
            f"The database has had {'.'.join(newer[0])}, which this version does not know: it is "
            f"of another version. {LOOK_IT_UP}"
        )
    if lacking := what_is_lacking(applied):
        return (
            f"The database lacks {lacking}, and migrate cannot add it: the migration that makes "
            f"it was written anew since the database had it. {LOOK_IT_UP}"
        )
    return ""
