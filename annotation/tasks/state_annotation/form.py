"""The form of a state annotation: the single source of its checks, page order and answers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import ErrorList
from django.utils.formats import number_format
from django.utils.functional import cached_property

from annotation.tasks.state_annotation import checks, texts
from annotation.tasks.state_annotation.actions import looks_like_action
from annotation.tasks.state_annotation.folding import is_blank, length, one_line, same_text
from studies.task_types import Caution, TaskForm

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise as Words

# No sentence needs more; it keeps one pasted book from tying up the server.
SENTENCE_LIMIT = 1000
# NUL and halves of surrogate pairs, which the database cannot hold.
UNSAVABLE = re.compile("[\0\ud800-\udfff]")


def refuse_unsavable(value: str) -> None:
    if UNSAVABLE.search(value):
        raise ValidationError(texts.CANNOT_BE_SAVED, code="cannot_be_saved")


class LineField(forms.CharField):
    """One line of text: trimmed, line breaks become spaces, otherwise as typed."""

    widget = forms.Textarea

    def __init__(self, *, label: "Words" = "") -> None:
        super().__init__(required=False, strip=False, label=label)
        self.widget.attrs.update(rows=1, autocomplete="off", dir="auto")
        self.validators = [refuse_unsavable]

    def to_python(self, value: Any) -> str:
        return one_line(super().to_python(value) or "")


class TicksField(forms.TypedMultipleChoiceField):
    """Numbers of ticked sentences, in the order of the story."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, sentences: int) -> None:
        numbers = [str(number) for number in range(1, sentences + 1)]
        super().__init__(
            choices=list(zip(numbers, numbers, strict=True)),
            coerce=int,
            required=False,
            label=texts.JUSTIFICATION_FIELD,
            error_messages=dict.fromkeys(("invalid_choice", "invalid_list"), texts.TICK_UNKNOWN),
        )

    def to_python(self, value: Any) -> list[str]:
        return super().to_python([value] if isinstance(value, str) and value else value)

    def clean(self, value: Any) -> list[int]:
        return sorted(set(super().clean(value)))


# Fields hold nothing of what is written in them: making them anew for each form took longer than
# checking what was sent.
ASSERTION = LineField(label=texts.ASSERTION_FIELD)
CHANGED = LineField(label=texts.CHANGED_FIELD)
BOX = LineField()
ticks_field = lru_cache(100)(TicksField)


@dataclass(frozen=True)
class Row:
    """A sentence of the story beside its tick and its box."""

    number: str
    text: str
    ticked: bool
    box: str
    label: "Words"
    revised: str
    errors: ErrorList


class StateAnnotationForm(TaskForm):
    """Four steps on one page; the number of boxes follows the story."""

    steps = texts.STEPS

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        item: Mapping[str, Any],
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, item=item, initial=initial)
        self.sentences: list[str] = list(item["sentences"])
        self.boxes = [f"revision_{number}" for number in range(1, len(self.sentences) + 1)]
        self.revision: list[str] | None = None
        self.fields = {
            "assertion": ASSERTION,
            "justification": ticks_field(len(self.sentences)),
            "changed_assertion": CHANGED,
            **dict.fromkeys(self.boxes, BOX),
        }
        self.initial = {**dict(zip(self.boxes, self.sentences, strict=True)), **self.initial}

    # --- For the page --------------------------------------------------------------------------
    @cached_property
    def rows(self) -> list[Row]:
        """Plain values: a page has many of them, and a template is slow with fields."""
        ticked = self["justification"].value() or []
        ticked = [ticked] if isinstance(ticked, str | int) else ticked
        numbers = {str(tick) for tick in ticked}
        return [self._row(str(n), text, numbers) for n, text in enumerate(self.sentences, 1)]

    def _row(self, number: str, text: str, ticked: set[str]) -> Row:
        box = self[f"revision_{number}"]
        revised = box.value()
        return Row(
            number=number,
            text=text,
            ticked=number in ticked,
            box=box.html_name,
            label=texts.REVISION_FIELD % {"number": number},
            revised="" if revised is None else revised,
            errors=box.errors,
        )

    @property
    def client_messages(self) -> dict[str, str | int]:
        """What the browser needs to run the same checks; the server always runs them again."""
        return {
            "limit": checks.ASSERTION_LIMIT,
            "assertion_empty": str(texts.ASSERTION_EMPTY),
            "justification_empty": str(texts.JUSTIFICATION_EMPTY),
            "changed_empty": str(texts.CHANGED_EMPTY),
            "changed_same": str(texts.CHANGED_SAME),
            "too_long": str(texts.TOO_LONG),
            "sentence_empty": str(texts.SENTENCE_EMPTY),
            "nothing_changed": str(texts.NOTHING_CHANGED),
        }

    # --- Errors --------------------------------------------------------------------------------
    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        self._check_assertion("assertion", texts.ASSERTION_EMPTY)
        if cleaned.get("justification") == []:
            self._refuse("justification", texts.JUSTIFICATION_EMPTY, "none_ticked")
        self._check_assertion("changed_assertion", texts.CHANGED_EMPTY)
        if checks.same_assertion(
            cleaned.get("assertion", ""), cleaned.get("changed_assertion", "")
        ):
            self._refuse("changed_assertion", texts.CHANGED_SAME, "same")
        self._check_revision()
        return self.cleaned_data

    def _check_assertion(self, field: str, empty: "Words") -> None:
        text = self.cleaned_data.get(field)
        if text is None:
            return
        count = length(text)
        if is_blank(text):
            self._refuse(field, empty, "empty")
        elif count > checks.ASSERTION_LIMIT:
            params = {"count": number_format(count), "limit": checks.ASSERTION_LIMIT}
            self._refuse(field, texts.TOO_LONG % params, "too_long")

    def _check_revision(self) -> None:
        for number, (field, original) in enumerate(zip(self.boxes, self.sentences, strict=True), 1):
            text = self.cleaned_data.get(field)
            if text is None:
                continue
            limit = max(SENTENCE_LIMIT, 2 * len(original))
            if is_blank(text):
                self._refuse(field, texts.SENTENCE_EMPTY % {"number": number}, "empty")
            elif length(text) > limit:
                params = {"number": number, "limit": number_format(limit)}
                self._refuse(field, texts.SENTENCE_TOO_LONG % params, "too_long")
        self.revision = self._read_revision()
        if self.revision == self.sentences:
            self._refuse(None, texts.NOTHING_CHANGED, "nothing_changed")

    def _refuse(self, field: str | None, message: "Words", code: str) -> None:
        self.add_error(field, ValidationError(message, code=code))

    def _read_revision(self) -> list[str] | None:
        """The boxes, unchanged ones exactly as in the story; None while one has an error."""
        if not self.cleaned_data.keys() >= set(self.boxes):
            return None
        written = [self.cleaned_data[box] for box in self.boxes]
        pairs = zip(self.sentences, written, strict=True)
        return [original if same_text(original, box) else box for original, box in pairs]

    # --- Answers and cautions --------------------------------------------------------------------
    def answers(self) -> dict[str, Any]:
        """Answers of schema version 1; see schema.md."""
        return {
            "assertion": self.cleaned_data["assertion"],
            "justification": self.cleaned_data["justification"],
            "changed_assertion": self.cleaned_data["changed_assertion"],
            "revision": self.revision,
        }

    def cautions(self) -> list[Caution]:
        answers = self.answers()
        return [
            *self._assertion_cautions(answers["assertion"]),
            *self._revision_cautions(answers["changed_assertion"], answers["revision"]),
        ]

    def _assertion_cautions(self, assertion: str) -> list[Caution]:
        found = []
        if number := checks.repeated_sentence(assertion, self.sentences):
            message = texts.REPEATS_STORY % {"number": number}
            found.append(Caution("assertion", "repeats_story", message))
        if looks_like_action(assertion):
            found.append(Caution("assertion", "looks_like_action", str(texts.LOOKS_LIKE_ACTION)))
        return found

    def _revision_cautions(self, changed_assertion: str, revision: list[str]) -> list[Caution]:
        found = []
        if number := checks.outright_sentence(changed_assertion, revision):
            message = texts.STATED_OUTRIGHT % {"number": number}
            found.append(Caution(f"revision_{number}", "stated_outright", message))
        for number, count in checks.sentence_counts(self.sentences, revision).items():
            text = texts.MORE_THAN_ONE_SENTENCE if count else texts.NO_WHOLE_SENTENCE
            message = text % {"number": number, "count": count}
            found.append(Caution(f"revision_{number}", "sentence_count", message))
        changed = len(checks.changed_numbers(self.sentences, revision))
        if changed > checks.USUAL_CHANGES:
            message = texts.MANY_CHANGED % {"count": changed}
            found.append(Caution("revision", "many_changed", message))
        return found
