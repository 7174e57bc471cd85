"""An instrument as data: it checks itself when it is made."""

from dataclasses import dataclass

from evaluation.instruments.parts import Field, Question
from evaluation.instruments.rules import check_names, check_questions


@dataclass(frozen=True)
class Declaration:
    """Questions about an item, and the fields that the item brings. Raises BadInstrument."""

    slug: str
    title: str
    about: str
    questions: tuple[Question, ...]
    fields: tuple[Field, ...] = ()

    def __post_init__(self) -> None:
        check_names(self.slug, self.title, self.fields)
        check_questions(self.questions, self.fields)

    def question(self, slug: str) -> Question:
        """Raises LookupError, naming the questions there are."""
        for question in self.questions:
            if question.slug == slug:
                return question
        known = ", ".join(question.slug for question in self.questions)
        raise LookupError(f"{self.title} has no question “{slug}”. It has: {known}.")
