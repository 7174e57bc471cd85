"""What the pages that import ratings ask for."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from evaluation.instruments.parts import Kind
from evaluation.models import Instrument
from evaluation.result_files.errors import BadMap
from evaluation.result_files.mapping import read_map
from evaluation.strict_json import BadJson, read_json
from studies.models import Study


class UploadResultsForm(forms.Form):
    """A result file, what was asked, and of which system."""

    study = forms.ModelChoiceField(
        Study.objects.none(),
        label=_("Study"),
        empty_label=_("Choose a study"),
        widget=UnfoldAdminSelectWidget,
        error_messages={"required": _("Choose the study that the ratings are for.")},
    )
    instrument = forms.ModelChoiceField(
        Instrument.objects.none(),
        label=_("Instrument"),
        empty_label=_("Choose what was asked"),
        widget=UnfoldAdminSelectWidget,
        error_messages={"required": _("Choose the instrument that raters answered.")},
    )
    system = forms.CharField(
        label=_("System"),
        max_length=100,
        help_text=_("Whose outputs were rated, such as t5-base."),
        widget=UnfoldAdminTextInputWidget,
        error_messages={"required": _("Name the system whose outputs were rated.")},
    )
    rival = forms.CharField(
        label=_("Compared with"),
        required=False,
        max_length=100,
        help_text=_("The second system, where pairs were rated."),
        widget=UnfoldAdminTextInputWidget,
    )
    file = forms.FileField(
        label=_("Result file"),
        max_length=200,
        widget=UnfoldAdminFileFieldWidget,
        error_messages={
            "required": _("Choose a file."),
            "empty": _("This file is empty. Choose another one."),
        },
    )
    map = forms.CharField(
        label=_("Map of columns"),
        required=False,
        max_length=5000,
        help_text=_("JSON; only where the columns have other names than usual."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3, "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer("study", studies.order_by("title", "slug"))
        self._offer("instrument", Instrument.objects.order_by("title", "slug", "-version"))

    def _offer(self, name: str, rows: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = rows

    def clean_file(self) -> "UploadedFile[Any]":
        file: UploadedFile[Any] = self.cleaned_data["file"]
        size, limit = file.size or 0, settings.STORY_UPLOAD_MAX_BYTES
        if size > limit:
            raise forms.ValidationError(
                _("This file has %(size)s. At most %(limit)s can be uploaded."),
                params={"size": filesizeformat(size), "limit": filesizeformat(limit)},
            )
        return file

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        self._check_pair(given.get("instrument"), given.get("system", ""), given.get("rival", ""))
        instrument, text = given.get("instrument"), given.get("map")
        given["map_data"] = None
        if instrument is None or not text:
            return given
        try:
            given["map_data"] = read_json(text)
            read_map(given["map_data"], instrument.declared)
        except (BadJson, BadMap) as error:
            self.add_error("map", str(error))
        return given

    def _check_pair(self, instrument: Instrument | None, system: str, rival: str) -> None:
        if instrument is None:
            return
        compares = any(one.kind is Kind.PAIRWISE for one in instrument.declared.questions)
        if compares and not rival:
            self.add_error("rival", _("Name the second system: this instrument compares two."))
        elif compares and rival == system:
            self.add_error("rival", _("Name another system than the first."))
        elif rival and not compares:
            self.add_error("rival", _("Leave this empty: the instrument is about one system."))
