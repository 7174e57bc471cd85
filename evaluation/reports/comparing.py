"""Rated items beside what people wrote for the same sources."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from django.utils.translation import gettext as _

from annotation.models import Release
from evaluation.models import Instrument
from evaluation.reports.reading import rated_items
from evaluation.reports.rows import Items
from evaluation.reports.scores import ReportRefused
from evaluation.reports.targets import written_for_runs
from evaluation.reports.texts import absent, with_texts
from modeling.instances import Tuple
from modeling.instances.sources import BadSource, tuples_of_file, tuples_of_release
from modeling.instances.tuples import BadTuple
from studies.models import Study


@dataclass(frozen=True)
class Source:
    """Where what people wrote is read: a file, or a release, the newest where none is named."""

    release: str | None = None
    file: Path | None = None


@dataclass(frozen=True)
class Comparison:
    """Items with their texts, and those that were expected and are `absent`."""

    items: Items
    absent: Items = ()


def compare(
    study: Study,
    instruments: Sequence[Instrument],
    items: Items,
    source: Source,
    *,
    expected: int | None,
) -> Comparison:
    """Raises ReportRefused."""
    declared = instruments[0].declared
    everything = items if expected is None else rated_items(study, instruments)
    written = written_for_runs(everything, declared)
    others = [item for item in everything if item.pk not in written]
    known = dict.fromkeys((item.group, item.part) for item in everything)
    tuples = _tuples(study, source, {item.group for item in others}) if others else {}
    missing = () if expected is None else tuple(absent(items, known, declared, tuples))
    if expected is not None:
        _check_counts([*items, *missing], expected)
    references = {pk: one.reference for pk, one in written.items()}
    shown = with_texts(items, declared, tuples, references)
    own = {pk: one.shares for pk, one in written.items()}
    return Comparison([replace(item, shares=own.get(item.pk)) for item in shown], missing)


def _check_counts(items: Items, expected: int) -> None:
    for system in dict.fromkeys(item.system for item in items):
        count = sum(item.system == system for item in items)
        if count != expected:
            raise ReportRefused(
                _(
                    "%(expected)s items of %(system)s are expected; with those that only other "
                    "systems have there are %(count)s."
                )
                % {"expected": f"{expected:,}", "system": system, "count": f"{count:,}"}
            )


def _tuples(study: Study, source: Source, wanted: set[str]) -> dict[str, Tuple]:
    try:
        return {one.key: one for one in _read(study, source) if one.key in wanted}
    except (BadSource, BadTuple) as error:
        raise ReportRefused(str(error)) from error


def _read(study: Study, source: Source) -> Iterator[Tuple]:
    if source.file is not None:
        return tuples_of_file(source.file)
    return (one for _split, one in tuples_of_release(_release(study, source), withheld=True))


def _release(study: Study, source: Source) -> Release:
    releases = study.releases.select_related("study").order_by("-pk")
    found = (releases.filter(name=source.release) if source.release else releases).first()
    if found is not None:
        return found
    known = ", ".join(one.name for one in releases[:20])
    if source.release and known:
        raise ReportRefused(
            _("There is no release “%(name)s” in this study. Known: %(known)s.")
            % {"name": source.release, "known": known}
        )
    raise ReportRefused(
        _(
            "There is nothing to compare outputs with: this study has no release. On the command "
            "line a file of annotations can be named with --references."
        )
    )
