"""Answers in words: of a pair they name the system, whichever side that stood on."""

from dataclasses import replace

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import FIRST, SECOND, Code, Kind, Option, Question


def naming(declared: Declaration, *, system: str, rival: str) -> Declaration:
    """The instrument, with the systems in the place of the sides."""
    questions = tuple(_naming(one, system=system, rival=rival) for one in declared.questions)
    return replace(declared, questions=questions)


def words_of(question: Question, code: Code, *, system: str, rival: str) -> str:
    return _naming(question, system=system, rival=rival).label_of(code)


def _naming(question: Question, *, system: str, rival: str) -> Question:
    if question.kind is not Kind.PAIRWISE:
        return question
    names = {FIRST: system, SECOND: rival}
    options = tuple(
        Option(one.code, names.get(str(one.code)) or one.label) for one in question.options
    )
    return replace(question, options=options)
