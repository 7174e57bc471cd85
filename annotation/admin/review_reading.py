"""A contribution and what can be said of it, as the review page shows them."""

import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies import task_types
from studies.admin.base import task_name
from studies.admin.process import Process, StepRow, read_process
from studies.models import Contribution
from studies.task_types import ReviewForm, ReviewGrade, ReviewReason

# Taken by "decide later" and "undo".
OTHER_KEYS = "LZ"
NONE = "–"


@dataclass(frozen=True)
class Choice:
    """A grade or a reason with the key that chooses it."""

    key: str
    slug: str
    name: Any
    definition: Any


@dataclass(frozen=True)
class ShownStep:
    number: int
    name: Any
    plain_reasons: list[Choice]
    other: ReviewReason | None

    @property
    def reasons(self) -> list[Choice | ReviewReason]:
        return [*self.plain_reasons, *([self.other] if self.other else [])]


@dataclass(frozen=True)
class ProcessRow:
    name: str
    words: str


def review_form_of(contribution: Contribution) -> ReviewForm:
    form = task_types.get(contribution.response.task_type).review
    if form is None:
        raise ValueError(f"{contribution} is of a task type that is not reviewed")
    return form


def reading_of(contribution: Contribution) -> dict[str, Any]:
    """Nothing in here tells whose it is, or when it was written."""
    response = contribution.response
    form = review_form_of(contribution)
    process = read_process(response.evidence)
    return {
        "review_form": form,
        "task_name": task_name(response.task_type),
        "item": response.assignment.task.payload,
        "content": contribution.content,
        "cautions": response.cautions,
        "process": process,
        "process_rows": process_rows(response.evidence, process, form.steps),
        "grades": grade_choices(form.grades),
        "steps": shown_steps(form),
    }


def title_of(contribution: Contribution) -> str:
    item = contribution.response.assignment.task.payload
    return str(item.get("title") or _("A story without a title"))


def grade_choices(grades: tuple[ReviewGrade, ...]) -> list[Choice]:
    """The first is A, each other the first letter of its name that is free."""
    taken = set(OTHER_KEYS)
    choices: list[Choice] = []
    for grade in grades:
        wished = "A" + string.ascii_uppercase if not choices else grade.slug.upper()
        key = next(
            letter
            for letter in wished + string.ascii_uppercase
            if letter.isalpha() and letter not in taken
        )
        taken.add(key)
        choices.append(Choice(key, grade.slug, grade.name, grade.definition))
    return choices


def shown_steps(form: ReviewForm) -> list[ShownStep]:
    return [_shown(form, number) for number in sorted(form.steps)]


def _shown(form: ReviewForm, number: int) -> ShownStep:
    reasons = form.reasons_of(number)
    plain = [reason for reason in reasons if reason.slug != ReviewForm.OTHER]
    return ShownStep(
        number=number,
        name=form.steps[number],
        plain_reasons=[
            Choice(str(key), reason.slug, reason.name, reason.definition)
            for key, reason in enumerate(plain, 1)
        ],
        other=next((reason for reason in reasons if reason.slug == ReviewForm.OTHER), None),
    )


def process_rows(
    evidence: Mapping[str, Any] | None, process: Process, steps: Mapping[int, Any]
) -> list[ProcessRow]:
    """Time, typing, pastes and absences of each step in words; what did not happen is left out."""
    if evidence is None or process.problem:
        return []
    kept = zip(evidence["steps"].items(), process.rows, strict=True)
    return [
        ProcessRow(str(steps.get(int(number), _("outside the steps"))), _in_words(row, step))
        for (number, step), row in kept
    ]


def _in_words(row: StepRow, step: Mapping[str, Any]) -> str:
    keys = ngettext("%(count)s key press", "%(count)s key presses", step["keys"])
    said = [
        (row.active, "%s"),
        (row.keys, keys % {"count": number_format(step["keys"])}),
        (row.pastes, _("pasted %s characters")),
        (row.drops, _("dropped %s characters")),
        (row.away, _("away %s")),
    ]
    told = [words % value if "%s" in words else words for value, words in said if value != NONE]
    return ", ".join(told) or NONE
