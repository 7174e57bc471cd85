"""Where the items of a round come from: exactly one of a file, a release, or runs."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal
from uuid import UUID

from django.utils.translation import gettext as _

from annotation.models import Release
from evaluation.models import Instrument
from evaluation.rating.outputs import BadItems, Outputs
from evaluation.rating.sources.file import outputs_of_file
from studies.models import Study

if TYPE_CHECKING:
    from modeling.models import Run

RELEASE_INPUTS: tuple[Literal["marked"], Literal["story"]] = ("marked", "story")


@dataclass(frozen=True)
class Source:
    """`input` and `split` are said of a release, `with_people` of runs."""

    file: BinaryIO | None = None
    name: str = ""
    release: Release | None = None
    input: Literal["marked", "story"] = "marked"
    split: str = ""
    runs: Sequence["Run"] = ()
    with_people: bool = False


def outputs_from(source: Source, *, study: Study, instrument: Instrument) -> Outputs:
    """Raises BadItems."""
    given = [source.file is not None, source.release is not None, bool(source.runs)]
    if not any(given):
        raise BadItems(_("Say what is to be rated: a file, a release, or runs."))
    if sum(given) > 1:
        raise BadItems(_("Choose one of these alone to be rated: a file, a release, or runs."))
    if source.with_people and not source.runs:
        raise BadItems(_("What people wrote is rated beside the outputs of runs alone."))
    if source.split and source.release is None:
        raise BadItems(_("A split is one of a release: a file and runs have none to choose."))
    declared = instrument.declared
    if source.file is not None:
        return outputs_of_file(source.file, name=source.name, study=study, declared=declared)
    # What models are rated by takes a while to import.
    if source.release is not None:
        from evaluation.rating.sources.release import outputs_of_release

        return outputs_of_release(
            source.release, declared=declared, input=source.input, split=source.split
        )
    from evaluation.rating.sources.runs import outputs_of_runs

    return outputs_of_runs(source.runs, declared=declared, with_people=source.with_people)


def gold_from(file: BinaryIO, *, name: str, study: Study, instrument: Instrument) -> Outputs:
    """Items whose right answers are known. Raises BadItems."""
    declared = instrument.declared
    return outputs_of_file(file, name=name, study=study, declared=declared, gold=True)


def find_run(study: Study, name: str) -> "Run | None":
    """By its public id, its number, or its name where only one has it."""
    from modeling.models import Run

    runs = Run.objects.filter(study=study)
    with suppress(ValueError):
        return runs.filter(public_id=UUID(name)).first()
    if name.isdecimal() and len(name) < 19 and (found := runs.filter(pk=int(name)).first()):
        return found
    named = list(runs.filter(name=name)[:2])
    return named[0] if len(named) == 1 else None
