"""The page of an item: what raters were shown, and what each of them said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from evaluation.admin.answer_words import naming
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Code, Question
from evaluation.models import Item, Rating
from evaluation.rating.blocks import blocks_of
from evaluation.result_files.shown import shown_fields
from studies.admin.base import ModelAdmin, find, require
from studies.models import Participant

SEE = "evaluation.view_item"


@dataclass(frozen=True)
class Said:
    code: Code
    words: str


@dataclass(frozen=True)
class Row:
    """A question, and who answered what."""

    text: str
    answers: list[tuple[Participant, Said]]


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """Security: staff who may see items, of a study they research; others get 403 or 404."""
    require(request, SEE)
    items = Item.objects.select_related("study", "instrument", "result_file")
    item = find(request, items, object_id)
    declared = naming(item.instrument.declared, system=item.system, rival=item.rival)
    ratings = list(item.ratings.select_related("rater").order_by("submitted_at", "pk"))
    shown = shown_fields(item.fields, declared)
    return admin.page(
        request,
        "admin/evaluation/item/page.html",
        title=item.key,
        original=item,
        item=item,
        blocks=blocks_of(declared, shown),
        others=_others(item.fields, declared),
        gold=_gold(item.gold, declared),
        ratings=ratings,
        rows=[*(_row(one, ratings) for one in declared.questions), *_on_the_left(item, ratings)],
    )


def _row(question: Question, ratings: Sequence[Rating]) -> Row:
    given = [(one.rater, one.answers[question.slug]) for one in ratings if _asked(one, question)]
    return Row(question.text, [(who, Said(code, question.label_of(code))) for who, code in given])


def _asked(rating: Rating, question: Question) -> bool:
    return question.slug in rating.answers


def _on_the_left(item: Item, ratings: Sequence[Rating]) -> list[Row]:
    """Of a pair, what each rater saw there, as far as it is known."""
    known = [one for one in ratings if one.swapped is not None]
    seen = [(one, item.rival if one.swapped else item.system) for one in known]
    answers = [(one.rater, Said(name, name)) for one, name in seen]
    return [Row(_("On the left"), answers)] if answers else []


def _gold(gold: Mapping[str, int], declared: Declaration) -> list[tuple[str, str]]:
    asked = [question for question in declared.questions if question.slug in gold]
    return [(question.text, _words(question, gold[question.slug])) for question in asked]


def _words(question: Question, gold: int) -> str:
    """A gold answer is a code, or says whether the answer is to be at the threshold or above."""
    if question.threshold is None:
        return question.label_of(gold)
    sign = "≥" if gold else "<"
    return f"{sign} {question.label_of(question.threshold)}"


def _others(fields: Mapping[str, Any], declared: Declaration) -> list[tuple[str, list[str]]]:
    """Fields that are none of the instrument's, as they came with a file."""
    own = {field.name for field in declared.fields}
    return [(name, _lines(value)) for name, value in fields.items() if name not in own]


def _lines(value: Any) -> list[str]:
    """A story is sentences, a text is lines."""
    return [str(one) for one in value] if isinstance(value, list) else str(value).splitlines()
