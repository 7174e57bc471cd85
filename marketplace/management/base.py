"""What the marketplace's commands share."""

from typing import TypeVar

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db.models import Model

Row = TypeVar("Row", bound=Model)


def checked(row: Row) -> Row:
    """Raises CommandError for what the database could not keep."""
    try:
        row.clean_fields()
    except ValidationError as error:
        told = [f"{name}: {' '.join(words)}" for name, words in error.message_dict.items()]
        raise CommandError("\n".join(told)) from error
    return row
