"""The page of an instrument: one version, as raters meet it."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from evaluation.admin.instrument_make import MAKE
from evaluation.admin.instrument_preview import previews_of
from evaluation.models import Instrument
from evaluation.rating.preview import raters_page
from studies.admin.base import ModelAdmin, find, require

SEE = "evaluation.view_instrument"


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """Security: staff who may see instruments, which all studies share; others get 403."""
    require(request, SEE)
    instrument = find(request, Instrument.objects.select_related("made_by"), object_id)
    versions = Instrument.objects.filter(slug=instrument.slug).order_by("-version")
    return admin.page(
        request,
        "admin/evaluation/instrument/page.html",
        title=str(instrument),
        original=instrument,
        instrument=instrument,
        declared=instrument.declared,
        previews=previews_of(instrument.declared),
        raters_page=raters_page(instrument.declared),
        versions=versions.values("pk", "version"),
        may_make=request.user.has_perm(MAKE),
    )
