"""The stories of a file against those a study has."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from django.db.models import F, Func, TextField
from django.utils.translation import gettext as _

from studies.models import Story, Study
from studies.story_files import Notice, ParsedStory, ParseReport, Problem, StoryReading
from studies.story_files.checks import composed, story_text, text_digest, wording
from studies.story_files.results import PROBLEMS_SHOWN

IDS_A_QUERY = 10_000
EXCERPT = 80


class Composed(Func):
    """NFC, as `composed` does it in Python."""

    function = "normalize"
    template = "%(function)s(%(expressions)s, NFC)"
    output_field = TextField()


@dataclass(frozen=True)
class Stored:
    pk: int
    wording: bytes


def compare(study: Study, seen: dict[str, tuple[int, bytes]]) -> tuple[set[str], dict[str, Stored]]:
    """Ids stored with the very text of the file, and those stored with another."""
    unchanged: set[str] = set()
    differing: dict[str, Stored] = {}
    for pk, key, title, sentences, roles in stored_stories(study, list(seen)):
        if text_digest(story_text(title, sentences, roles)) == seen[key][1]:
            unchanged.add(key)
        else:
            differing[key] = Stored(pk, wording(title, sentences))
    return unchanged, differing


StoredStory = tuple[int, str, str, list[str], list[str]]


def stored_stories(study: Study, keys: list[str]) -> Iterator[StoredStory]:
    """Primary key, composed id, title, sentences, roles of the stories with these ids."""
    stories = Story.objects.filter(study=study)
    if not stories.exists():
        return
    for start in range(0, len(keys), IDS_A_QUERY):
        yield from (
            stories.annotate(key=Composed(F("external_id")))
            .filter(key__in=keys[start : start + IDS_A_QUERY])
            .values_list("pk", "key", "title", "sentences", "roles")
            .iterator()
        )


def judge(
    study: Study, source: BinaryIO, report: ParseReport, differing: dict[str, Stored]
) -> tuple[list[Notice], list[Problem]]:
    """Another text is a problem; the same words between other sentence ends are a person's work.

    Takes a second look at the file, for the texts were not kept.
    """
    notices: list[Notice] = []
    problems: list[Problem] = []
    if not differing:
        return notices, problems
    for story in StoryReading(source, name=report.file, format=report.format):
        stored = differing.get(composed(story.external_id))
        if stored is None:
            continue
        if wording(story.title, story.sentences) == stored.wording:
            notices.append(
                Notice(
                    "split_by_hand",
                    _("Its sentences were split or merged here; they stay as they are."),
                    row=story.row,
                    story_id=story.external_id,
                )
            )
            continue
        message = _("Another text than stored.")
        if len(problems) < PROBLEMS_SHOWN:
            message = _difference(Story.objects.get(pk=stored.pk), story)
        problems.append(Problem("other_text_stored", message, row=story.row))
    return notices, problems


def _difference(stored: Story, story: ParsedStory) -> str:
    pairs = [(_("Title"), stored.title, story.title)]
    for number in range(max(len(stored.sentences), len(story.sentences))):
        here = stored.sentences[number] if number < len(stored.sentences) else ""
        there = story.sentences[number] if number < len(story.sentences) else ""
        pairs.append((_("Sentence %(n)d") % {"n": number + 1}, here, there))
    for part, here, there in pairs:
        if composed(here) != composed(there):
            return _(
                "Story %(story)s is in this study with another text (stored as number %(pk)d)."
                " %(part)s is stored as “%(here)s”; the file has “%(there)s”."
            ) % {
                "story": story.external_id,
                "pk": stored.pk,
                "part": part,
                "here": here[:EXCERPT],
                "there": there[:EXCERPT],
            }
    return _("Story %(story)s is in this study with other roles.") % {"story": story.external_id}
