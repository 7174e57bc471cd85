"""Who may see which study, and which rows are a study's."""

from functools import cache
from typing import Any, TypeVar

from django.contrib.auth.models import AbstractUser
from django.db.models import BooleanField, ExpressionWrapper, ForeignKey, Model, Q, QuerySet

from studies.models import Round, Study, StudyRole

M = TypeVar("M", bound=Model)


def visible_studies(user: Any, role: StudyRole | None = None) -> QuerySet[Study]:
    """The studies this person works on, in that role; every one for a superuser."""
    if not isinstance(user, AbstractUser) or not user.is_active:
        return Study.objects.none()
    if user.is_superuser:
        return Study.objects.all()
    mine = {"memberships__user": user} | ({"memberships__role": role} if role else {})
    return Study.objects.filter(**mine)


def visible_rows(user: Any, rows: QuerySet[M], role: StudyRole | None = None) -> QuerySet[M]:
    """Those of the rows that belong to a study which the person works on in that role."""
    if isinstance(user, AbstractUser) and user.is_active and user.is_superuser:
        return rows
    path, studies = path_to_study(rows.model), visible_studies(user, role)
    to_round = path.removesuffix("__study")
    if to_round.endswith("round"):
        # By number: the planner knows how many tasks a round has, and takes the short way.
        is_mine = ExpressionWrapper(Q(study__in=studies), output_field=BooleanField())
        rounds = list(Round.objects.values_list("pk", is_mine))
        mine = [pk for pk, is_one in rounds if is_one]
        # Who works on every study sees every row: there is nothing to leave out.
        return (
            rows
            if rounds and len(mine) == len(rounds)
            else rows.filter(**{f"{to_round}__in": mine})
        )
    return rows.filter(**{f"{path}__in": studies})


@cache
def path_to_study(model: type[Model]) -> str:
    """The shortest way from a row to its study over foreign keys that are never empty.

    A job is found by its own, which may be empty: such a job is nobody's but a superuser's. Raises
    LookupError for a model whose rows are of no study.
    """
    if model is Study:
        return "pk"
    ways: list[tuple[type[Model], str]] = [(model, "")]
    seen = {model}
    for current, way in ways:
        for key in _foreign_keys(current):
            target, further = key.related_model, f"{way}{key.name}"
            if target is Study:
                return further
            if not key.null and target not in seen:
                seen.add(target)
                ways.append((target, f"{further}__"))
    raise LookupError(f"Rows of {model.__name__} belong to no study.")


def is_of_a_study(model: type[Model]) -> bool:
    try:
        return bool(path_to_study(model))
    except LookupError:
        return False


def _foreign_keys(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]
