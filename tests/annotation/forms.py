"""Filled forms for the tests of the state annotation."""

from typing import Any

from django.http import QueryDict

from annotation.tasks.state_annotation.form import StateAnnotationForm

SENTENCES = [
    "Selma set two cups on the table.",
    "The doorbell did not ring.",
    "She poured the tea away and washed both cups.",
]
ITEM: dict[str, Any] = {"story_id": "tea", "title": "Two cups", "sentences": SENTENCES}


def fields(**changes: Any) -> dict[str, Any]:
    """The fields of a good answer to ITEM, with changes."""
    good = {
        "assertion": "Selma was disappointed.",
        "justification": ["2", "3"],
        "changed_assertion": "Selma was relieved.",
        "revision_1": SENTENCES[0],
        "revision_2": SENTENCES[1],
        "revision_3": "She leaned back with a sigh and drank both cups herself.",
    }
    return good | changes


def filled(item: dict[str, Any] = ITEM, /, **changes: Any) -> StateAnnotationForm:
    data = QueryDict(mutable=True)
    for name, value in fields(**changes).items():
        data.setlist(name, value if isinstance(value, list) else [value])
    return StateAnnotationForm(data, item=item)


def errors(form: StateAnnotationForm) -> set[tuple[str, str]]:
    return {(field, e.code or "") for field, es in form.errors.as_data().items() for e in es}


def cautions(form: StateAnnotationForm) -> set[tuple[str, str]]:
    assert form.is_valid(), form.errors
    return {(caution.field, caution.code) for caution in form.cautions()}
