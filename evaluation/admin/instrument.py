from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from evaluation.admin import instrument_make, instrument_page
from evaluation.models import Instrument
from studies.admin.base import Page, ReadOnlyAdmin, moment


@admin.register(Instrument)
class InstrumentAdmin(ReadOnlyAdmin):
    """What is asked about outputs, version by version; shared by all studies."""

    list_display = ["title", "slug", "version", "asked", "made_by", "when"]
    list_select_related = ["made_by"]
    search_fields = ["slug", "title"]
    search_help_text = _("Title or short name")
    ordering = ["slug", "-version"]
    row_page = instrument_page.show
    empty_title = _("No instrument yet")
    empty_text = _("An instrument is the questions that raters answer about an output.")
    empty_next = (_("Make an instrument"), "admin:evaluation_instrument_make")
    change_list_template = "admin/evaluation/instrument/change_list.html"

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {"make/": ("evaluation_instrument_make", instrument_make.make)}

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_make = request.user.has_perm(instrument_make.MAKE)
        return super().changelist_view(request, {**(extra_context or {}), "may_make": may_make})

    @admin.display(description=_("questions"))
    def asked(self, instrument: Instrument) -> str:
        return ", ".join(question.slug for question in instrument.declared.questions)

    @admin.display(description=_("made"), ordering="made_at")
    def when(self, instrument: Instrument) -> str:
        return moment(instrument.made_at)
