"""Whether a database fits this version: what it lacks of the tables, columns and constraints that
its own migrations make.

Before the first release migrations may be written anew: one that a database has had before runs
there no more, and what it makes now is missing for good.
"""

from functools import cache
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

# A table, and a column or a constraint of it.
Part = tuple[str, str]

PARTS = """
    SELECT c.relname, a.attname FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE {place}
    UNION ALL
    SELECT c.relname, n.conname FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_constraint n ON n.conrelid = c.oid
    WHERE {place}
    UNION ALL
    SELECT c.relname, o.relname FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_index i ON i.indrelid = c.oid
    JOIN pg_catalog.pg_class o ON o.oid = i.indexrelid
    WHERE {place}"""
IN_SIGHT = PARTS.format(place="pg_catalog.pg_table_is_visible(c.oid) AND c.relkind IN ('r', 'p')")
IN_PUBLIC = PARTS.format(place="c.relnamespace = 'public'::regnamespace")


def what_is_lacking(applied: frozenset[tuple[str, str]]) -> str:
    """The first table, column or constraint that is not there, or nothing."""
    with connection.cursor() as cursor:
        cursor.execute(IN_SIGHT)
        held = set(cursor.fetchall())
    lacking = sorted(parts_of(applied) - held)
    if not lacking:
        return ""
    table, part = lacking[0]
    return f"{table}.{part}" if any(name == table for name, _ in held) else table


@cache
def parts_of(applied: frozenset[tuple[str, str]]) -> frozenset[Part]:
    """What our migrations among `applied` make, as they are worded now."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    ours = [key for key in loader.graph.nodes if is_ours(key[0])]
    had = [key for key in ours if key in applied]
    registry = apps if len(had) == len(ours) else loader.project_state(had).apps
    return frozenset(
        (model._meta.db_table, name)
        for model in registry.get_models(include_auto_created=True)
        if is_ours(model._meta.app_label) and model._meta.managed and not model._meta.proxy
        for name in (
            *(str(field.column) for field in model._meta.local_concrete_fields),
            *(str(constraint.name) for constraint in model._meta.constraints),
        )
    )


@cache
def migrations_on_disk() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def is_newer(migration: tuple[str, str]) -> bool:
    """Whether a newer version than this one has changed the database: other people's packages may
    leave out migrations of theirs, we do not."""
    return is_ours(migration[0]) and migration not in migrations_on_disk()


def is_ours(app_label: str) -> bool:
    app = apps.app_configs.get(app_label)
    return app is not None and Path(app.path).parent == settings.BASE_DIR


def refuse_lacking(applied: frozenset[tuple[str, str]]) -> str:
    """Return SQL that fails, naming the first part, where what was restored lacks one."""
    rows = ", ".join(f"('{table}', '{part}')" for table, part in sorted(parts_of(applied)))
    if not rows:
        return ""
    return f"""
DO $do$
DECLARE
    lacking text;
BEGIN
    SELECT e.relation || '.' || e.part INTO lacking FROM (VALUES {rows}) AS e (relation, part)
    WHERE (e.relation, e.part) NOT IN ({IN_PUBLIC}) ORDER BY 1 LIMIT 1;
    IF lacking IS NOT NULL THEN
        RAISE EXCEPTION USING MESSAGE = 'the backup lacks ' || lacking || ', which this version'
            ' makes in a migration that was written anew since: restore it with the version that'
            ' made it';
    END IF;
END
$do$;
"""
