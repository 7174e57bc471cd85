"""How the rows of a prepared query become what its queryset would have given."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model
from django.db.models.base import ModelState
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
    get_related_populators,
)
from django.db.models.signals import post_init, pre_init
from django.db.models.sql.compiler import SQLCompiler

Row = tuple[Any, ...]
Reader = Callable[[Row], Any]
Joiner = Callable[[Row, Model], None]


def _models(compiler: SQLCompiler) -> Reader:
    """The model, what was selected with it, and annotations."""
    info, select = compiler.klass_info, compiler.select
    assert info is not None
    places = info["select_fields"]
    start, end = places[0], places[-1] + 1
    make = _maker(info["model"], [column.target.attname for column, *_ in select[start:end]])
    # The stubs describe a later Django, which wants one argument more.
    related = get_related_populators(info, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
    joiners = [_joiner(populator) for populator in related]
    annotations = compiler.annotation_col_map or {}

    def read(row: Row) -> Model:
        instance = make(row[start:end])
        for join in joiners:
            join(row, instance)
        for name, place in annotations.items():
            setattr(instance, name, row[place])
        return instance

    return read


def _joiner(populator: Any) -> Joiner:
    """Gives a model the one that was selected with it, or None where there is none."""
    assert populator.reorder_for_init is None, "Rows of inherited tables are not read."
    start, end, key = populator.cols_start, populator.cols_end, populator.pk_idx
    make = _maker(populator.model_cls, populator.init_list)
    joiners = [_joiner(further) for further in populator.related_populators]

    def join(row: Row, instance: Model) -> None:
        values = row[start:end]
        if values[key] is None:
            populator.local_setter(instance, None)
            return
        found = make(values)
        for join_further in joiners:
            join_further(row, found)
        populator.local_setter(instance, found)
        populator.remote_setter(found, instance)

    return join


def _maker(model: type[Model], names: Sequence[str]) -> Callable[[Row], Model]:
    """Makes a model that was read, those of its fields filled in that have these names.

    `Model.__init__` takes several times as long: it finds out how it was called and sets one field
    after the other. A model for which more is done than that is refused.
    """
    listeners = pre_init.has_listeners(model) or post_init.has_listeners(model)
    if listeners or model.__init__ is not Model.__init__:
        raise TypeError(f"What is done when a {model.__name__} is made, is not done here.")

    def make(values: Row) -> Model:
        instance = model.__new__(model)
        state = instance._state = ModelState()
        state.adding, state.db = False, DEFAULT_DB_ALIAS
        instance.__dict__.update(zip(names, values, strict=True))
        return instance

    return make


READERS: dict[type, Callable[[SQLCompiler], Reader]] = {
    ModelIterable: _models,
    ValuesListIterable: lambda compiler: tuple,
    FlatValuesListIterable: lambda compiler: itemgetter(0),
}
