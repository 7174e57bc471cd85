"""Result files that people send: kept until a job has imported them; how each is to be read."""

from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

from django.core.files.base import File
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from evaluation.models import Instrument
from evaluation.result_files.errors import BadResults
from evaluation.result_files.mapping import read_map, usual_map
from evaluation.services.importing import ImportSummary, Reading, import_results
from studies.jobs import JobContext, JobFailure, handles
from studies.models import Job, Study
from studies.services.kept_files import keep_file, open_kept

KIND = "import_ratings"
FOLDER = "results"


@dataclass(frozen=True)
class KeptResults:
    """A kept file, and what its sender said of it. `map` is what a map file says."""

    file: str
    name: str
    study: int
    instrument: int
    system: str
    map: Any = None
    reverse: tuple[str, ...] = ()
    rival: str = ""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "KeptResults":
        return cls(**data | {"reverse": tuple(data.get("reverse", ()))})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"reverse": list(self.reverse)}

    def reading(self) -> Reading:
        """Raises BadMap."""
        instrument = Instrument.objects.get(pk=self.instrument)
        declared = instrument.declared
        columns = usual_map(declared) if self.map is None else read_map(self.map, declared)
        return Reading(instrument, self.system, columns, self.reverse, self.rival)


def keep_results(
    *,
    file: "File[Any]",
    study: Study,
    instrument: Instrument,
    system: str,
    rival: str,
    map: Any,
) -> KeptResults:
    """Raises CannotKeep."""
    kept = keep_file(file=file, folder=FOLDER, unnamed=_("result file"))
    return KeptResults(
        kept["file"], kept["name"], study.pk, instrument.pk, system, map, rival=rival
    )


@handles(KIND, name=gettext_lazy("Import ratings"))
def run_import(job: JobContext) -> None:
    """Stopped behind its commit and started again, it finds what it has imported, even if that
    was withdrawn meanwhile."""
    try:
        with open_kept(job.payload) as source:
            job.result(_import_once(job, source))
    except BadResults as error:
        raise JobFailure(f"{error} " + _("Nothing was imported.")) from error


@transaction.atomic
def _import_once(job: JobContext, source: BinaryIO) -> dict[str, Any]:
    """The ratings and the job's result, which names their file, are stored together or not at all.

    Raises BadResults.
    """
    kept = KeptResults.from_dict(job.payload)
    study = Study.objects.select_for_update(no_key=True).get(pk=kept.study)
    row = Job.objects.filter(pk=job.job.pk)
    earlier = row.values_list("result", flat=True).get()
    if earlier:
        return dict(earlier)
    summary = import_results(
        study=study,
        source=source,
        name=kept.name,
        reading=kept.reading(),
        user=job.job.requested_by,
        progress=job.progress,
    )
    result = _result(study, summary)
    row.update(result=result)
    return result


def _result(study: Study, summary: ImportSummary) -> dict[str, Any]:
    page = reverse("admin:evaluation_reports", args=[study.pk])
    return {
        "result_file": summary.result_file,
        "said": _said(summary),
        "next": {"text": _("See the evaluation"), "address": page},
    }


def _said(summary: ImportSummary) -> str:
    text = ngettext(
        "%(count)s rating of %(items)s items was imported.",
        "%(count)s ratings of %(items)s items were imported.",
        summary.ratings,
    )
    return text % {"count": f"{summary.ratings:,}", "items": f"{summary.items:,}"}
