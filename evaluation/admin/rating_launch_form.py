"""What launching a round of ratings asks for."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, BinaryIO

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    CHECKBOX_CLASSES,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminFileFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldBooleanWidget,
)

from annotation.models import Release, Split
from evaluation.models import Instrument
from evaluation.rating.outputs import BadItems
from evaluation.services.rating_rounds import (
    DEFAULT_GOLD_SHARE,
    Design,
    RatingPlan,
    plan_ratings,
)
from evaluation.services.rating_sources import Source, gold_from, outputs_from
from modeling.models import Run
from modeling.models.run import RunState
from studies.admin.forms import RoundFields
from studies.models import Study
from studies.services.plans import RoundRefused

LARGEST = 2**31 - 1


class RatingLaunchForm(RoundFields):
    instrument = forms.ModelChoiceField(
        Instrument.objects.none(),
        label=_("Instrument"),
        empty_label=_("Choose what is asked"),
        widget=UnfoldAdminSelectWidget,
    )
    items = forms.FileField(
        label=_("File of outputs"),
        required=False,
        max_length=200,
        help_text=_("JSONL or CSV: system, id, and what the instrument shows."),
        widget=UnfoldAdminFileFieldWidget,
    )
    release = forms.ModelChoiceField(
        Release.objects.none(),
        label=_("Release"),
        required=False,
        empty_label=_("none"),
        help_text=_("All four state-inference instances of each tuple."),
        widget=UnfoldAdminSelectWidget,
    )
    unmarked = forms.BooleanField(
        label=_("Without marks"),
        required=False,
        help_text=_("The sentences that support a state are not marked."),
        widget=UnfoldBooleanWidget,
    )
    split = forms.ChoiceField(
        label=_("Split of the release"),
        required=False,
        choices=[("", _("all of it")), *Split.choices],
        widget=UnfoldAdminSelectWidget,
    )
    runs = forms.ModelMultipleChoiceField(
        Run.objects.none(),
        label=_("Runs"),
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": " ".join(CHECKBOX_CLASSES)}),
    )
    with_people = forms.BooleanField(
        label=_("And what people wrote"),
        required=False,
        help_text=_("Beside runs, as one more system."),
        widget=UnfoldBooleanWidget,
    )
    sample = forms.IntegerField(
        label=_("Sample"),
        min_value=1,
        max_value=LARGEST,
        required=False,
        help_text=_("So many stories or tuples, drawn with the seed. Empty: all."),
        widget=UnfoldAdminIntegerFieldWidget,
    )
    same_raters = forms.BooleanField(
        label=_("Same raters"),
        required=False,
        help_text=_("All items of a story stand on one page."),
        widget=UnfoldBooleanWidget,
    )
    gold = forms.FileField(
        label=_("File of gold items"),
        required=False,
        max_length=200,
        help_text=_("As the file of outputs, with right answers. They stand in no report."),
        widget=UnfoldAdminFileFieldWidget,
    )
    gold_share = forms.DecimalField(
        label=_("Share of gold items"),
        min_value=Decimal(0),
        max_value=Decimal("0.999"),
        decimal_places=3,
        initial=DEFAULT_GOLD_SHARE,
        help_text=_("Tasks of gold items to each other task, such as 0.1."),
        widget=UnfoldAdminDecimalFieldWidget(attrs={"step": "0.01"}),
    )

    def __init__(self, data: Any = None, files: Any = None, *, study: Study) -> None:
        super().__init__(data, study=study, initial={"reward_usd": Decimal("0.10")})
        self.files = files or MultiValueDict()
        self.fields["seed"].help_text = _("Draws the sample, the order of items, and their sides.")
        newest = Instrument.objects.filter(pk__in=Instrument.objects.newest().values("pk"))
        self._offer("instrument", newest.order_by("title"))
        self._offer("release", study.releases.order_by("-pk"))
        self._offer("runs", Run.objects.filter(study=study, state=RunState.DONE).order_by("-pk"))

    @property
    def run_options(self) -> list[Any]:
        return list(self["runs"])

    def _offer(self, name: str, rows: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = rows

    def plan(self, files: Mapping[str, tuple[str, BinaryIO]]) -> RatingPlan | None:
        """What would be launched, from the opened files by field; None with errors on the form."""
        if not self.is_valid():
            return None
        given = self.cleaned_data
        name, file = files.get("items", ("", None))
        source = Source(
            file=file,
            name=name,
            release=given["release"],
            input="story" if given["unmarked"] else "marked",
            split=given["split"],
            runs=list(given["runs"]),
            with_people=given["with_people"],
        )
        field: str | None = "items" if file else None
        try:
            outputs = outputs_from(source, study=self.study, instrument=given["instrument"])
            field, gold = "gold", None
            if "gold" in files:
                name, file = files["gold"]
                gold = gold_from(file, name=name, study=self.study, instrument=given["instrument"])
            field = None
            return plan_ratings(
                study=self.study,
                instrument=given["instrument"],
                outputs=outputs,
                design=Design(given["sample"], given["same_raters"], given["gold_share"]),
                chosen=self.chosen,
                gold=gold,
            )
        except (BadItems, RoundRefused) as refusal:
            self.add_error(field, str(refusal).splitlines())
            return None
