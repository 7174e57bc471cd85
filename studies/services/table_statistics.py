from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import JSONField, Model

WORTHWHILE = 500
# No query compares them, and their statistics take longest.
LEFT_OUT = (ArrayField, JSONField)


def refresh_statistics(*models: type[Model], added: int) -> None:
    """After a large import let the planner know the tables' new sizes at once.

    The server would notice within a minute; until then it may plan for empty tables, and join
    thousands of rows by trying each with each.
    """
    if added < WORTHWHILE:
        return
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(sorted(map(_compared, models)))}")


def _compared(model: type[Model]) -> str:
    fields = model._meta.concrete_fields
    columns = [f.column for f in fields if f.column and not isinstance(f, LEFT_OUT)]
    quote = connection.ops.quote_name
    return f"{quote(model._meta.db_table)} ({', '.join(map(quote, columns))})"
