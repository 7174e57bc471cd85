"""Changing some fields of a row by the rules by which the admin changes them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model

M = TypeVar("M", bound=Model)


@transaction.atomic
def change_fields(row: M, changes: Mapping[str, Any], *, fields: Sequence[str]) -> M:
    """What `changes` leaves out stays, also what somebody else changes meanwhile; rows that a field
    names are given by their ids.

    Raises ValidationError with what is wrong with each field, "__all__" being the whole.
    """
    model = type(row)
    locked = model._default_manager.select_for_update().get(pk=row.pk)
    before = {
        name: [one.pk for one in value] if isinstance(value, list) else value
        for name, value in forms.model_to_dict(locked, fields).items()
    }
    form = forms.modelform_factory(model, fields=fields)({**before, **changes}, instance=locked)
    if not form.is_valid():
        raise ValidationError({name: list(said) for name, said in form.errors.items()})
    changed: M = form.save()
    return changed
