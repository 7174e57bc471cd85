"""Making an instrument, or a new version of one: its declaration as JSON, with a preview."""

import json
from dataclasses import fields
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.admin.instrument_preview import previews_of
from evaluation.instruments.as_data import MOST_CHARACTERS, declaration_from, to_data
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.house import ReportsNeed
from evaluation.instruments.parts import (
    BadInstrument,
    Condition,
    Example,
    Field,
    Kind,
    Level,
    Option,
    Question,
    Role,
)
from evaluation.models import Instrument
from evaluation.rating.preview import raters_page
from evaluation.services.instruments import NothingNew, SlugTaken, make_instrument, make_version
from evaluation.strict_json import BadJson, read_json
from studies.admin.base import ModelAdmin, find, require

MAKE = "evaluation.add_instrument"


NAMES = [
    (gettext_lazy("kind of a question"), ", ".join(Kind)),
    (gettext_lazy("level of a question"), ", ".join(Level)),
    (gettext_lazy("role of a field"), ", ".join(Role)),
    (gettext_lazy("parts of a question"), ", ".join(one.name for one in fields(Question))),
    (gettext_lazy("parts of a field"), ", ".join(one.name for one in fields(Field))),
    (gettext_lazy("parts of a condition"), ", ".join(one.name for one in fields(Condition))),
    (gettext_lazy("parts of an example"), ", ".join(one.name for one in fields(Example))),
]


class DeclarationForm(forms.Form):
    """`declared` after is_valid()."""

    declaration = forms.CharField(
        label=gettext_lazy("Declaration"),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Write the declaration as JSON.")},
    )

    def clean_declaration(self) -> str:
        text: str = self.cleaned_data["declaration"]
        try:
            self.declared = declaration_from(read_json(text))
        except (BadJson, BadInstrument) as error:
            raise forms.ValidationError(str(error)) from error
        return text


def make(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The form, filled with the version named by ?from; by POST a preview, or the new row.

    Security: staff who may add instruments; others get 403.
    """
    user = require(request, MAKE)
    base = find(request, Instrument, request.GET["from"]) if "from" in request.GET else None
    if request.method != "POST":
        return _page(admin, request, base, DeclarationForm(initial={"declaration": _start(base)}))
    form = DeclarationForm(request.POST)
    if not form.is_valid():
        return _page(admin, request, base, form, status=422)
    if request.POST.get("step") == "preview":
        return _page(admin, request, base, form, declared=form.declared)
    try:
        made = _made(form.declared, base, user)
    except (SlugTaken, NothingNew, ReportsNeed) as refusal:
        form.add_error("declaration", str(refusal))
        return _page(admin, request, base, form, status=409)
    admin.log_addition(request, made, _("Made"))
    messages.success(request, _("%(instrument)s was made.") % {"instrument": made})
    page = reverse("admin:evaluation_instrument_change", args=[made.pk])
    return HttpResponseRedirect(page, status=303)


def _made(declared: Declaration, base: Instrument | None, user: Any) -> Instrument:
    """A next version under the same name, a first one under another."""
    if base is not None and base.slug == declared.slug:
        return make_version(declared=declared, user=user)
    return make_instrument(declared=declared, user=user)


def _start(base: Instrument | None) -> str:
    data = base.declaration if base else to_data(EXAMPLE)
    return json.dumps(data, ensure_ascii=False, indent=2)


def _page(
    admin: ModelAdmin,
    request: HttpRequest,
    base: Instrument | None,
    form: DeclarationForm,
    *,
    declared: Declaration | None = None,
    status: int = 200,
) -> HttpResponse:
    return admin.page(
        request,
        "admin/evaluation/instrument/make.html",
        title=_("New version") if base else _("Make an instrument"),
        status=status,
        form=form,
        base=base,
        declared=declared,
        names=NAMES,
        previews=previews_of(declared) if declared else [],
        raters_page=raters_page(declared) if declared else "",
    )


EXAMPLE = Declaration(
    slug="my-instrument",
    title="My instrument",
    about="What raters judge.",
    questions=(
        Question(
            "clear",
            "How clear is the output?",
            Kind.LIKERT,
            (Option(1, "Not at all"), Option(2, "Somewhat"), Option(3, "Very")),
            Level.ORDINAL,
        ),
    ),
)
