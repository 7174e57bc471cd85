"""What makes a declaration whole."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.parts import (
    PAIRWISE_CODES,
    BadInstrument,
    Field,
    Kind,
    Level,
    Question,
    Role,
)

NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_SLUG = 50
FEWEST_OPTIONS = 2
MOST_STORIES = 2
# Codes from -100 to 100, and so many options: of more nothing is chosen, and reports count in them.
MOST = 100


def check_names(slug: str, title: str, fields: Sequence[Field]) -> None:
    """Raises BadInstrument."""
    if not SLUG.fullmatch(slug) or len(slug) > LONGEST_SLUG:
        raise BadInstrument(
            _("The short name is made of small letters, digits and single hyphens, 50 at most.")
        )
    if not title.strip():
        raise BadInstrument(_("The instrument needs a title."))
    _no_twice(gettext_lazy("field"), [field.name for field in fields])
    for field in fields:
        _name(field.name)
    if sum(field.role is Role.STORY for field in fields) > MOST_STORIES:
        raise BadInstrument(_("An item shows two stories at most."))


def check_questions(questions: Sequence[Question], fields: Sequence[Field]) -> None:
    """Raises BadInstrument."""
    if not questions:
        raise BadInstrument(_("The instrument needs a question at least."))
    _no_twice(gettext_lazy("question"), [question.slug for question in questions])
    for place, question in enumerate(questions):
        _question(question, questions[:place])
        _options_come_from_a_field(question, fields)


def _question(question: Question, earlier: Sequence[Question]) -> None:
    _name(question.slug)
    if not question.text.strip():
        raise _wrong(question, _("it has no text."))
    _bounds(question)
    _scale(question)
    _threshold(question)
    for example in question.examples:
        if example.code not in question.codes:
            raise _wrong(question, _("an example answers with a code that is not on its scale."))
    _condition(question, earlier)


def _bounds(question: Question) -> None:
    """Before the codes are put together."""
    if question.brought > MOST or question.brought + len(question.options) > MOST:
        raise _wrong(question, _("it has %(most)s options at most.") % {"most": MOST})
    numbers = [option.code for option in question.options if isinstance(option.code, int)]
    if any(abs(number) > MOST for number in numbers):
        raise _wrong(question, _("its codes are from -%(most)s to %(most)s.") % {"most": MOST})


def _scale(question: Question) -> None:
    codes = question.codes
    if question.kind is Kind.TEXT:
        if codes:
            raise _wrong(question, _("a free text has no options."))
        return
    if len(set(codes)) < len(codes):
        raise _wrong(question, _("two of its options have the same code."))
    if "" in codes:
        raise _wrong(question, _("every option needs its code."))
    if any(not option.label.strip() for option in question.options):
        raise _wrong(question, _("every option needs its words."))
    if len({type(code) for code in codes}) > 1:
        raise _wrong(question, _("its codes are numbers or words, not both."))
    if question.kind is Kind.YES_NO and set(codes) != {0, 1}:
        raise _wrong(question, _("yes has the code 1 and no the code 0."))
    if question.kind is Kind.PAIRWISE and set(codes) != set(PAIRWISE_CODES):
        raise _wrong(question, _("its codes are first, second, equally_good and equally_bad."))
    if len(codes) < FEWEST_OPTIONS:
        raise _wrong(question, _("it needs two options at least."))
    _order(question)


def _order(question: Question) -> None:
    numeric = all(isinstance(code, int) for code in question.codes)
    if question.kind is Kind.LIKERT and (not numeric or question.level is Level.NOMINAL):
        raise _wrong(question, _("the points of a scale have numbers as codes and an order."))
    if question.level in {Level.INTERVAL, Level.RATIO} and not numeric:
        raise _wrong(question, _("distances need numbers as codes."))
    if question.level is not Level.NOMINAL and numeric:
        values = [int(code) for code in question.codes]
        if question.level is Level.RATIO and min(values) < 0:
            raise _wrong(question, _("a scale with a zero begins there or above."))
        if values != sorted(values):
            raise _wrong(question, _("the codes of its scale rise from the first to the last."))


def _threshold(question: Question) -> None:
    if question.threshold is None:
        return
    if question.threshold not in question.codes:
        raise _wrong(question, _("its threshold is not on its scale."))
    if question.level is Level.NOMINAL and question.kind is not Kind.YES_NO:
        raise _wrong(question, _("a threshold needs a scale with an order."))


def _condition(question: Question, earlier: Sequence[Question]) -> None:
    condition = question.condition
    if condition is None:
        return
    asked = next((one for one in earlier if one.slug == condition.question), None)
    if asked is None:
        raise _wrong(question, _("its condition is about no earlier question."))
    if not condition.codes or not set(condition.codes) <= set(asked.codes):
        raise _wrong(question, _("its condition names a code that the earlier question lacks."))


def _options_come_from_a_field(question: Question, fields: Sequence[Field]) -> None:
    if bool(question.options_from) != bool(question.brought) or question.brought < 0:
        raise _wrong(question, _("say which field brings options, and how many."))
    names = {field.name for field in fields}
    if question.options_from and question.options_from not in names:
        raise _wrong(question, _("its options come from a field that the item does not have."))


def _name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise BadInstrument(
            _("“%(name)s” is no name: small letters, digits and _, and a letter first.")
            % {"name": name}
        )


def _no_twice(what: Any, names: Iterable[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise BadInstrument(
            _("There are two of the name “%(name)s” (%(what)s).") % {"name": twice[0], "what": what}
        )


def _wrong(question: Question, what: str) -> BadInstrument:
    return BadInstrument(
        _("Question “%(question)s”: %(what)s") % {"question": question.slug, "what": what}
    )
