"""Which runs learnt from, or were asked about, what a worker gave."""

from django.db.models import Count

from annotation.models import ReleaseRow
from modeling.models import Run
from studies.models import Participant
from studies.row_uses import RowUse


def runs_with(participant: Participant) -> list[RowUse]:
    """Runs of a release hold what stands in one of its splits. Those of files know no worker."""
    mine = ReleaseRow.objects.filter(
        contribution__response__assignment__participant=participant
    ).exclude(split="")
    counts = dict(mine.values_list("release").annotate(Count("pk")))
    runs = Run.objects.filter(release__in=counts).order_by("pk")
    return [
        RowUse("run", str(run), "admin:modeling_run_change", run.pk, counts[run.release_id])
        for run in runs
    ]
