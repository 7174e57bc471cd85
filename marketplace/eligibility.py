"""Decides which of a HIT type's requirements a worker does not meet. Plain values, no database."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

APPROVED_COUNT = "00000000000000000040"
APPROVAL_RATE = "000000000000000000L0"
LOCALE = "00000000000000000071"
SYSTEM_QUALIFICATIONS = (APPROVED_COUNT, APPROVAL_RATE, LOCALE)

# MTurk takes a rate as 100% until this many assignments were decided.
RATE_COUNTS_FROM = 100


@dataclass(frozen=True)
class Requirement:
    qualification_type_id: str
    comparator: str
    integer_values: tuple[int, ...] = ()
    locale_values: tuple[str, ...] = ()
    actions_guarded: str = "Accept"
    name: str = ""


@dataclass(frozen=True)
class WorkerFacts:
    """What is known of a worker: the work done here and before, the country, own qualifications."""

    approved: int = 0
    rejected: int = 0
    country: str = ""
    subdivision: str = ""
    qualifications: Mapping[str, int] = field(default_factory=dict)

    @property
    def approval_rate(self) -> int:
        """Whole percent, rounded down; 100 while fewer than 100 assignments were decided."""
        decided = self.approved + self.rejected
        return 100 if decided < RATE_COUNTS_FROM else 100 * self.approved // decided

    @property
    def locales(self) -> tuple[str, ...]:
        """The country, and the subdivision when known: both of "US" and "US-CA" match US-CA."""
        if not self.country:
            return ()
        if not self.subdivision:
            return (self.country,)
        return (self.country, f"{self.country}-{self.subdivision}")


@dataclass(frozen=True)
class Unmet:
    """Why something is not open to a worker: a requirement, or none where the worker is blocked."""

    requirement: Requirement | None
    sentence: str

    @property
    def guards(self) -> str:
        return self.requirement.actions_guarded if self.requirement else "Accept"


COMPARE: dict[str, Callable[[int, Sequence[int]], bool]] = {
    "LessThan": lambda value, wanted: value < wanted[0],
    "LessThanOrEqualTo": lambda value, wanted: value <= wanted[0],
    "GreaterThan": lambda value, wanted: value > wanted[0],
    "GreaterThanOrEqualTo": lambda value, wanted: value >= wanted[0],
    "EqualTo": lambda value, wanted: value == wanted[0],
    "NotEqualTo": lambda value, wanted: value != wanted[0],
    "In": lambda value, wanted: value in wanted,
    "NotIn": lambda value, wanted: value not in wanted,
    "Exists": lambda value, wanted: True,
    "DoesNotExist": lambda value, wanted: False,
}


def blocked() -> Unmet:
    return Unmet(None, _("The requester has closed their tasks to you."))


def unmet_requirements(
    requirements: Iterable[Requirement], facts: WorkerFacts
) -> tuple[Unmet, ...]:
    return tuple(
        Unmet(requirement, sentence_for(requirement, facts))
        for requirement in requirements
        if not is_met(requirement, facts)
    )


def is_met(requirement: Requirement, facts: WorkerFacts) -> bool:
    if requirement.qualification_type_id == LOCALE:
        return _is_locale_met(requirement, facts)
    value = value_of(requirement.qualification_type_id, facts)
    if value is None:
        return requirement.comparator == "DoesNotExist"
    return COMPARE[requirement.comparator](value, requirement.integer_values)


def value_of(qualification_type_id: str, facts: WorkerFacts) -> int | None:
    if qualification_type_id == APPROVED_COUNT:
        return facts.approved
    if qualification_type_id == APPROVAL_RATE:
        return facts.approval_rate
    return facts.qualifications.get(qualification_type_id)


def _is_locale_met(requirement: Requirement, facts: WorkerFacts) -> bool:
    known = bool(facts.country)
    if requirement.comparator in ("Exists", "DoesNotExist"):
        return known == (requirement.comparator == "Exists")
    within = any(locale in requirement.locale_values for locale in facts.locales)
    return known and within == (requirement.comparator in ("EqualTo", "In"))


def sentence_for(requirement: Requirement, facts: WorkerFacts) -> str:
    """Why the worker does not meet the requirement, in words for the worker."""
    if requirement.qualification_type_id == LOCALE:
        return _locale_sentence(requirement, facts)
    if requirement.qualification_type_id == APPROVED_COUNT:
        return _count_sentence(requirement, facts)
    if requirement.qualification_type_id == APPROVAL_RATE:
        return _("For workers with an approval rate of %(bound)s percent; yours is %(value)d.") % {
            "bound": bound_words(requirement),
            "value": facts.approval_rate,
        }
    return _own_qualification_sentence(requirement, facts)


def _count_sentence(requirement: Requirement, facts: WorkerFacts) -> str:
    wanted = requirement.integer_values[-1] if requirement.integer_values else 0
    return ngettext(
        "For workers with %(bound)s approved task; you have %(value)s.",
        "For workers with %(bound)s approved tasks; you have %(value)s.",
        wanted,
    ) % {"bound": bound_words(requirement), "value": grouped(facts.approved)}


def _locale_sentence(requirement: Requirement, facts: WorkerFacts) -> str:
    places = listed(requirement.locale_values)
    if requirement.comparator == "Exists":
        return _("For workers whose country is known; yours is not.")
    if requirement.comparator == "DoesNotExist":
        return _("For workers whose country is not known; yours is.")
    if not facts.country:
        text = _("For workers in %(places)s; your country is not known here.")
        if requirement.comparator in ("NotEqualTo", "NotIn"):
            text = _("For workers outside %(places)s; your country is not known here.")
        return text % {"places": places}
    if requirement.comparator in ("NotEqualTo", "NotIn"):
        return _("For workers outside %(places)s.") % {"places": places}
    return _("For workers in %(places)s; you are in %(place)s.") % {
        "places": places,
        "place": facts.locales[-1],
    }


def _own_qualification_sentence(requirement: Requirement, facts: WorkerFacts) -> str:
    name = requirement.name or requirement.qualification_type_id
    value = value_of(requirement.qualification_type_id, facts)
    if requirement.comparator == "DoesNotExist":
        return _("For workers without the qualification “%(name)s”; you have it.") % {"name": name}
    if requirement.comparator == "Exists" or value is None:
        return _("For workers with the qualification “%(name)s”; you do not have it.") % {
            "name": name
        }
    return _("For workers whose “%(name)s” is %(bound)s; yours is %(value)s.") % {
        "name": name,
        "bound": bound_words(requirement),
        "value": grouped(value),
    }


def bound_words(requirement: Requirement) -> str:
    words = {
        "LessThan": _("fewer than %(values)s"),
        "LessThanOrEqualTo": _("at most %(values)s"),
        "GreaterThan": _("more than %(values)s"),
        "GreaterThanOrEqualTo": _("at least %(values)s"),
        "EqualTo": _("exactly %(values)s"),
        "NotEqualTo": _("anything but %(values)s"),
        "In": _("one of %(values)s"),
        "NotIn": _("none of %(values)s"),
        "Exists": _("any number of"),
        "DoesNotExist": _("no"),
    }
    values = listed([grouped(value) for value in requirement.integer_values])
    return words[requirement.comparator] % {"values": values}


def grouped(number: int) -> str:
    return number_format(number, use_l10n=True, force_grouping=True)


def listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return _("%(first)s or %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}
