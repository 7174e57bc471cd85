"""The checks of a state annotation, on plain values."""

from collections.abc import Sequence

from annotation.tasks.state_annotation.folding import fold, is_blank, same_text, words
from annotation.tasks.state_annotation.sentence_count import count_sentences

ASSERTION_LIMIT = 300
USUAL_CHANGES = 3

_BE = dict.fromkeys(("am", "is", "are", "was", "were"), "be")


def same_assertion(assertion: str, changed: str) -> bool:
    """The same but for case, spaces, kinds of quotes and the full stop. Blanks are not compared."""
    if is_blank(assertion) or is_blank(changed):
        return False
    return fold(assertion).rstrip(" .") == fold(changed).rstrip(" .")


def changed_numbers(original: Sequence[str], revision: Sequence[str]) -> list[int]:
    """The numbers (from 1) of the sentences that differ from the original."""
    pairs = zip(original, revision, strict=True)
    return [number for number, (old, new) in enumerate(pairs, 1) if not same_text(old, new)]


def repeated_sentence(assertion: str, sentences: Sequence[str]) -> int | None:
    """The number of the sentence that says the assertion, word for word, or None.

    Being a part of a sentence counts as well: "Ana is tired" in "Ana is tired and goes home."
    """
    return _sentence_with(words(assertion), [words(sentence) for sentence in sentences])


def outright_sentence(changed: str, revision: Sequence[str]) -> int | None:
    """The number of the revised sentence that states the changed assertion outright, or None.

    Word for word, but the tense of *be* makes no difference.
    """
    wanted = _tenseless(words(changed))
    return _sentence_with(wanted, [_tenseless(words(sentence)) for sentence in revision])


def sentence_counts(original: Sequence[str], revision: Sequence[str]) -> dict[int, int]:
    """Boxes that do not hold exactly one sentence: number of the box -> sentences counted.

    Unchanged boxes are left out, and so are boxes that hold no more sentences than the original.
    """
    counts: dict[int, int] = {}
    for number in changed_numbers(original, revision):
        counted = count_sentences(revision[number - 1])
        allowed = max(1, count_sentences(original[number - 1]))
        if counted == 0 or counted > allowed:
            counts[number] = counted
    return counts


def _sentence_with(wanted: list[str], sentences: list[list[str]]) -> int | None:
    if len(wanted) < 2:
        return None
    part = f" {' '.join(wanted)} "
    for number, sentence in enumerate(sentences, 1):
        if part in f" {' '.join(sentence)} ":
            return number
    return None


def _tenseless(tokens: list[str]) -> list[str]:
    return [_BE.get(token, token) for token in tokens]
