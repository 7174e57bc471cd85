"""The study at one look: its numbers and plots, each with the rows behind it."""

import csv
from io import StringIO

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from studies.admin.base import ModelAdmin, find, require
from studies.figures.figure import Figure, shown_of
from studies.figures.theme import config
from studies.models import Study

SEE = "studies.view_study"


def show(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Security: researchers of the study; others get 404."""
    require(request, SEE)
    study = find(request, Study, object_id)
    shown = shown_of(study)
    return admin.page(
        request,
        "admin/studies/study/figures.html",
        title=_("Figures of %(study)s") % {"study": study},
        study=study,
        original=study,
        tiles=shown.tiles,
        figures=shown.figures,
        drawn={figure.slug: figure.spec for figure in shown.figures if figure.rows},
        themes={"light": config("light"), "dark": config("dark")},
    )


def rows(admin: ModelAdmin, request: HttpRequest, object_id: int, slug: str) -> HttpResponse:
    """What one plot shows, as CSV. Security: as `show`."""
    require(request, SEE)
    study = find(request, Study, object_id)
    figure = next((one for one in shown_of(study).figures if one.slug == slug), None)
    if figure is None:
        raise Http404
    answer = HttpResponse(_csv(figure), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{study.slug}-{slug}.csv"'
    return answer


def _csv(figure: Figure) -> str:
    out = StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(figure.columns)
    writer.writerows(["" if value is None else value for value in row] for row in figure.table)
    return out.getvalue()
