"""Checks QualificationRequirements by MTurk's rules and turns them into plain values and back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from marketplace.countries import COUNTRIES
from marketplace.eligibility import LOCALE, SYSTEM_QUALIFICATIONS, Requirement
from marketplace.errors import InvalidState
from marketplace.models import HITType, QualificationRequirement, QualificationType, Requester
from marketplace.models.hit_type import ActionsGuarded
from marketplace.protocol.errors import ParameterInvalid, RequestError, ValueInvalid

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import (
        LocaleTypeDef,
        QualificationRequirementUnionTypeDef,
    )

ON_EXISTENCE = ("Exists", "DoesNotExist")
ON_SETS = ("In", "NotIn")
FOR_LOCALES = ("EqualTo", "NotEqualTo", *ON_SETS)
SUBDIVISION = re.compile(r"[A-Z0-9]{1,3}")


def checked_requirements(
    requester: Requester, given: Sequence[QualificationRequirementUnionTypeDef]
) -> list[Requirement]:
    requirements = [_checked(requirement) for requirement in given]
    own = {r.qualification_type_id for r in requirements} - set(SYSTEM_QUALIFICATIONS)
    _check_types(own)
    return requirements


def _check_types(type_ids: set[str]) -> None:
    """That they are there, and active: an inactive one counts where it was required before only."""
    known = QualificationType.objects.kept().filter(qualification_type_id__in=type_ids)
    statuses = dict(known.values_list("qualification_type_id", "status"))
    for type_id in sorted(type_ids):
        if type_id not in statuses:
            raise RequestError(
                f"Qualification type {type_id} does not exist.", "QualificationTypeDoesNotExist"
            )
        if statuses[type_id] != QualificationType.Status.ACTIVE:
            raise InvalidState("InvalidQualificationTypeState", QualificationType.Status.ACTIVE)


def _checked(given: QualificationRequirementUnionTypeDef) -> Requirement:
    locales = tuple(_locale(locale) for locale in given.get("LocaleValues", ()))
    requirement = Requirement(
        qualification_type_id=given["QualificationTypeId"],
        comparator=given["Comparator"],
        integer_values=tuple(given.get("IntegerValues", ())),
        locale_values=locales,
        actions_guarded=_actions(given),
    )
    if requirement.qualification_type_id == LOCALE:
        _check_locales(requirement)
    elif requirement.comparator in ON_EXISTENCE:
        if requirement.integer_values or requirement.locale_values:
            raise ParameterInvalid(f"{requirement.comparator} takes no values to compare with.")
    else:
        _check_integers(requirement)
    return requirement


def _check_locales(requirement: Requirement) -> None:
    if requirement.comparator not in FOR_LOCALES:
        raise ParameterInvalid(f"A locale can be compared by {', '.join(FOR_LOCALES)} only.")
    if requirement.integer_values:
        raise ParameterInvalid("IntegerValues cannot be used with the locale qualification.")
    _check_count(requirement.comparator, len(requirement.locale_values), "LocaleValues")


def _check_integers(requirement: Requirement) -> None:
    if requirement.locale_values:
        raise ParameterInvalid("LocaleValues can only be used with the locale qualification.")
    _check_count(requirement.comparator, len(requirement.integer_values), "IntegerValues")


def _check_count(comparator: str, count: int, name: str) -> None:
    if comparator in ON_SETS and count == 0:
        raise ParameterInvalid(f"{comparator} needs at least one of {name}.")
    if comparator not in ON_SETS and count != 1:
        raise ParameterInvalid(f"{comparator} needs exactly one of {name}.")


def _actions(given: QualificationRequirementUnionTypeDef) -> str:
    actions = given.get("ActionsGuarded")
    required = given.get("RequiredToPreview")
    if actions is None:
        return ActionsGuarded.PREVIEW_AND_ACCEPT if required else ActionsGuarded.ACCEPT
    if required is not None and required != _guards_preview(actions):
        raise ParameterInvalid("ActionsGuarded and RequiredToPreview contradict each other.")
    return actions


def _guards_preview(actions: str) -> bool:
    return actions != ActionsGuarded.ACCEPT


def _locale(given: LocaleTypeDef) -> str:
    country = given["Country"]
    subdivision = given.get("Subdivision")
    if country not in COUNTRIES:
        why = "It must be a country's two letters of ISO 3166-1, in capitals."
        raise ValueInvalid(country, "Country", why)
    if subdivision is None:
        return country
    if not SUBDIVISION.fullmatch(subdivision):
        why = "It must be an ISO 3166-2 code without the country."
        raise ValueInvalid(subdivision, "Subdivision", why)
    return f"{country}-{subdivision}"


def requirement_answers(hit_type: HITType) -> list[dict[str, object]]:
    return [_answer(requirement) for requirement in hit_type.requirements.all()]


def _answer(requirement: QualificationRequirement) -> dict[str, object]:
    answer: dict[str, object] = {
        "QualificationTypeId": requirement.qualification_type_id,
        "Comparator": requirement.comparator,
        "RequiredToPreview": _guards_preview(requirement.actions_guarded),
        "ActionsGuarded": requirement.actions_guarded,
    }
    if requirement.integer_values:
        answer["IntegerValues"] = requirement.integer_values
    if requirement.locale_values:
        answer["LocaleValues"] = [_locale_answer(code) for code in requirement.locale_values]
    return answer


def _locale_answer(code: str) -> dict[str, str]:
    country, _, subdivision = code.partition("-")
    return {"Country": country, "Subdivision": subdivision} if subdivision else {"Country": country}
