"""Where one sentence of a story ends and the next begins, changed by a person."""

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Story, Study, Task


class SentencesRefused(Exception):
    """The story's sentences cannot be changed in this way; the text says why."""


@transaction.atomic
def split_sentence(*, story: Story, sentence: int, offset: int, seen: list[str]) -> Story:
    """Make two sentences of one, before the character at `offset`; both keep its role.

    `sentence` counts from 1. `seen` are the sentences as the person saw them. Raises
    SentencesRefused when a task uses the story, it changed meanwhile, or a part would be empty.
    """
    story = _lock_unused(story, seen)
    text = _sentence(story, sentence)
    first, second = text[:offset].rstrip(), text[offset:].lstrip()
    if offset < 1 or not first.strip() or not second.strip():
        raise SentencesRefused(_("Both parts need text. Choose a place inside the sentence."))
    story.sentences[sentence - 1 : sentence] = [first, second]
    story.roles[sentence - 1 : sentence] = [story.roles[sentence - 1]] * 2
    story.save(update_fields=["sentences", "roles"])
    return story


@transaction.atomic
def merge_sentences(*, story: Story, sentence: int, seen: list[str]) -> Story:
    """Make one sentence of this one and the next, with a space between them.

    Raises SentencesRefused when a task uses the story, it changed meanwhile, there is no next
    sentence, or the two have different roles.
    """
    story = _lock_unused(story, seen)
    first = _sentence(story, sentence)
    if sentence == len(story.sentences):
        raise SentencesRefused(_("No sentence follows this one."))
    if story.roles[sentence - 1] != story.roles[sentence]:
        raise SentencesRefused(_("These two sentences have different roles in the story."))
    merged = f"{first.rstrip()} {story.sentences[sentence].lstrip()}"
    story.sentences[sentence - 1 : sentence + 1] = [merged]
    del story.roles[sentence]
    story.save(update_fields=["sentences", "roles"])
    return story


def _lock_unused(story: Story, seen: list[str]) -> Story:
    """The story's row, locked together with its study, so that no launch reads it meanwhile."""
    Study.objects.select_for_update(no_key=True).get(pk=story.study_id)
    story = Story.objects.select_for_update().get(pk=story.pk)
    if Task.objects.filter(story=story).exists():
        raise SentencesRefused(
            _("A round uses this story. Its sentences stay as they are, so that answers fit them.")
        )
    if story.sentences != seen:
        raise SentencesRefused(_("The story was changed meanwhile. Look at it again."))
    return story


def _sentence(story: Story, number: int) -> str:
    if not 1 <= number <= len(story.sentences):
        raise SentencesRefused(_("The story has no such sentence."))
    return story.sentences[number - 1]
