"""Where tuples come from: a release of a study, or a file of annotations."""

from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path

from django.utils.translation import gettext as _

from annotation.models import Release
from annotation.releases.reading import Progress, manifest_of, read_rows
from annotation.releases.rule import ReleaseRule
from modeling.instances.tuples import Tuple, tuple_from
from studies.services.response_reading import ResponseReading
from studies.story_files.results import problem_lines


class BadSource(ValueError):
    """There are no tuples to be had from it; the text says why."""


class StoryInTwoSplits(BadSource):
    pass


def tuples_of_release(
    release: Release, *, withheld: bool = False, progress: Progress | None = None
) -> Iterator[tuple[str, Tuple]]:
    """Each with its split. Rows without one, which the release withholds, come `withheld` alone."""
    layout = ReleaseRule.from_dict(release.rule).layout
    for row in read_rows(
        manifest=manifest_of(release), salt=release.salt, layout=layout, progress=progress
    ):
        if row.split or withheld:
            yield row.split, tuple_from(row.label, row.item, row.answers)


def tuples_of_file(file: Path) -> Iterator[Tuple]:
    """Raises BadSource."""
    with opened(file) as source:
        reading = ResponseReading(source, name=file.name)
        for row in reading:
            yield tuple_from(row.content.label, row.content.item, row.content.answers)
    found = reading.findings
    if found.problem_count:
        lines = problem_lines(file.name, tuple(found.problems), found.problem_count)
        raise BadSource("\n".join(lines))


def opened(file: Path) -> BufferedReader:
    """Raises BadSource."""
    try:
        return file.open("rb")
    except OSError as error:
        raise BadSource(
            _("%(file)s cannot be read: %(reason)s.") % {"file": file, "reason": error.strerror}
        ) from error


def kept_apart(rows: Iterable[tuple[str, Tuple]]) -> Iterator[tuple[str, Tuple]]:
    """The same rows, each with its split, as long as nothing of one story stands in two of them.

    Raises StoryInTwoSplits.
    """
    seen: dict[str, str] = {}
    for split, one in rows:
        if seen.setdefault(one.story_key, split) != split:
            raise StoryInTwoSplits(
                _("Story %(story)s stands in two splits, %(one)s and %(other)s.")
                % {"story": one.story_key, "one": seen[one.story_key], "other": split}
            )
        yield split, one
