import shlex

from django import template

from evaluation.models import Rating

register = template.Library()


@register.filter
def in_shell(text: str) -> str:
    """As one word of a command that is copied into a shell: nothing in it is carried out."""
    return shlex.quote(text)


@register.filter
def in_words(rating: Rating) -> list[tuple[str, str]]:
    """Each question that was asked, and its answer."""
    # The package of this module needs unfold, which loads all libraries while it is imported.
    from evaluation.admin.answer_words import words_of

    item, answers = rating.item, rating.answers
    return [
        (
            question.text,
            words_of(question, answers[question.slug], system=item.system, rival=item.rival),
        )
        for question in item.instrument.declared.questions
        if question.slug in answers
    ]
