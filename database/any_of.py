"""Thousands of numbers as one argument: an `IN` list costs more to read than the rows it finds."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Lookup
from django.db.models.sql.compiler import SQLCompiler


class AnyOf(Lookup):
    """`filter(AnyOf(F("pk"), numbers))` finds what `filter(pk__in=numbers)` does."""

    lookup_name = "any_of"
    prepare_rhs = False

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Any, ...]]:
        sql, params = self.process_lhs(compiler, connection)
        # As text, which takes the driver and the server less time than a list.
        return f"{sql} = ANY(%s)", (*params, f"{{{','.join(map(str, self.rhs))}}}")
