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
    UnfoldBooleanWidget,
)

from studies.models import Study
from studies.story_files import AUTO, FORMAT_NAMES

FORMAT_LABELS = {
    AUTO: _("Judge by the first row"),
    "roc-csv": _("ROCStories table (storyid, storytitle, sentence1 … sentence5)"),
    "csv": _("Table (story_id, title, line1, line2 …)"),
    "pasta-jsonl": _("PASTA annotations, JSON lines"),
    "possible-stories-jsonl": _("Possible Stories, JSON lines"),
    "timetravel-jsonl": _("TimeTravel, JSON lines"),
}


class ImportStoriesForm(forms.Form):
    """A story file for a study."""

    study = forms.ModelChoiceField(
        Study.objects.none(),
        label=_("Study"),
        empty_label=_("Choose a study"),
        widget=UnfoldAdminSelectWidget,
        error_messages={"required": _("Choose the study that the stories are for.")},
    )
    file = forms.FileField(
        label=_("Story file"),
        widget=UnfoldAdminFileFieldWidget,
        help_text=_("UTF-8 or UTF-16, as a table or as JSON lines."),
        error_messages={
            "required": _("Choose a file."),
            "empty": _("This file is empty. Choose another one."),
        },
        max_length=200,
    )
    format = forms.ChoiceField(
        label=_("Format"),
        choices=[(name, FORMAT_LABELS[name]) for name in FORMAT_NAMES],
        initial=AUTO,
        widget=UnfoldAdminSelectWidget,
    )
    dry_run = forms.BooleanField(
        label=_("Only check the file"),
        required=False,
        initial=True,
        widget=UnfoldBooleanWidget,
        help_text=_("You see what would happen and can then import it with one click."),
    )

    def __init__(self, *args: Any, studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["study"]
        assert isinstance(choice, forms.ModelChoiceField)
        choice.queryset = studies.order_by("title", "slug")

    def clean_file(self) -> "UploadedFile[Any]":
        file: UploadedFile[Any] = self.cleaned_data["file"]
        size, limit = file.size or 0, settings.STORY_UPLOAD_MAX_BYTES
        if size > limit:
            raise forms.ValidationError(
                _("This file has %(size)s. At most %(limit)s can be uploaded."),
                params={"size": filesizeformat(size), "limit": filesizeformat(limit)},
            )
        return file


class SentenceForm(forms.Form):
    """Which sentence is changed, and the sentences as the person saw them."""

    sentence = forms.IntegerField(min_value=1)
    offset = forms.IntegerField(required=False)
    seen: forms.Field = forms.JSONField()

    def clean_seen(self) -> Any:
        seen = self.cleaned_data["seen"]
        if not isinstance(seen, list):
            raise forms.ValidationError(_("Look at the story again."))
        return seen
