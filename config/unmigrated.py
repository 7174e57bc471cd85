"""Why a query failed, where the database lacks tables: in a sentence for who ran a command."""

from django.db import Error, ProgrammingError, connection
from django.db.migrations.recorder import MigrationRecorder
from psycopg2.errors import UndefinedColumn, UndefinedTable

from config.health import migrations_on_disk


def explain(error: ProgrammingError) -> str:
    """Empty where the database has had all migrations: then the mistake is in a program."""
    if not isinstance(error.__cause__, UndefinedTable | UndefinedColumn):
        return ""
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except Error:
        return ""
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
    return ""
