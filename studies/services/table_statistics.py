from django.db import connection
from django.db.models import Model

WORTHWHILE = 500


def refresh_statistics(*models: type[Model], added: int) -> None:
    """After a large import let the planner know the tables' new sizes at once.

    The server would notice within a minute; until then it may plan for empty tables, and join
    thousands of rows by trying each with each.
    """
    if added < WORTHWHILE:
        return
    tables = ", ".join(sorted(model._meta.db_table for model in models))
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {tables}")
