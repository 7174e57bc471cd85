"""Which runs learnt from, or were asked about, what a worker gave."""

from django.db.models import Count

from annotation.models import ReleaseRow
from modeling.models import Run
from studies.models import Participant
from studies.row_uses import RowUse


def runs_with(participant: Participant) -> list[RowUse]:
    """Runs of a release hold what stands in one of its splits, and so do runs that began with them.
    Those of files know no worker."""
    mine = ReleaseRow.objects.filter(
        contribution__response__assignment__participant=participant
    ).exclude(split="")
    counts = dict(mine.values_list("release").annotate(Count("pk")))
    used = Run.objects.filter(release__in=counts).values_list("pk", "release")
    rows = heirs = {pk: counts[release] for pk, release in used}
    while heirs:
        began = Run.objects.filter(began_with__in=heirs).values_list("pk", "began_with")
        heirs = {pk: rows[earlier] for pk, earlier in began if earlier and pk not in rows}
        rows = rows | heirs
    return [
        RowUse("run", str(run), "admin:modeling_run_change", run.pk, rows[run.pk])
        for run in Run.objects.filter(pk__in=rows).order_by("pk")
    ]
