"""What the page that builds a release asks for."""

import secrets
from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    RADIO_CLASSES,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from annotation.models import Release
from annotation.releases.building import seed_for
from annotation.releases.rule import ReleaseRule, TestFrom
from annotation.releases.splits import DEFAULT_RATIOS, BadRatios, Ratios
from studies.admin.forms import WORDS
from studies.models import Study
from studies.services.response_layout import OWN, PUBLISHED

LARGEST_SEED = 2**63 - 1
LAYOUTS = [(PUBLISHED, _("As the published PASTA files")), (OWN, _("Our own"))]
MEANINGS = {
    PUBLISHED: _("Their fields, in their order. Every story has five sentences."),
    OWN: _("Lists of sentences: stories of any length."),
    TestFrom.ANY: _("Every accepted response of a test story is a test row."),
    TestFrom.REVIEWED: _(
        "A test story has one at least. Its other responses, later ones too, are withheld."
    ),
}


def _percent(label: Any, share: Decimal) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        min_value=Decimal(0),
        max_value=Decimal(100),
        decimal_places=2,
        # As people write it: 80, not the 8E+1 that it would be.
        initial=f"{(100 * share).normalize():f}",
        widget=UnfoldAdminDecimalFieldWidget(attrs={"step": "any"}),
        error_messages=WORDS | {"max_decimal_places": _("Write two decimals at most.")},
    )


class ReleaseForm(forms.Form):
    """`rule` after is_valid()."""

    study = forms.ModelChoiceField(
        Study.objects.none(),
        label=_("Study"),
        empty_label=_("Choose a study"),
        widget=UnfoldAdminSelectWidget,
        error_messages={"required": _("Choose the study whose responses are released.")},
    )
    name = forms.SlugField(
        label=_("Name"),
        max_length=50,
        initial="v1",
        help_text=_("Names the release in commands and files. It cannot be changed later."),
        widget=UnfoldAdminTextInputWidget,
        error_messages={
            "required": _("Give it a name, such as v1."),
            "invalid": _("A name is made of letters, digits, - and _."),
        },
    )
    train = _percent(_("Training (%)"), DEFAULT_RATIOS.train)
    validation = _percent(_("Validation (%)"), DEFAULT_RATIOS.validation)
    test = _percent(_("Test (%)"), DEFAULT_RATIOS.test)
    test_from = forms.ChoiceField(
        label=_("Test rows are"),
        choices=TestFrom.choices,
        initial=TestFrom.ANY,
        widget=forms.RadioSelect(attrs={"class": " ".join(RADIO_CLASSES)}),
    )
    layout = forms.ChoiceField(
        label=_("Layout of the files"),
        choices=LAYOUTS,
        initial=PUBLISHED,
        widget=forms.RadioSelect(attrs={"class": " ".join(RADIO_CLASSES)}),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=LARGEST_SEED,
        help_text=_("Places the stories that no earlier release has placed."),
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "numeric"}),
        error_messages=WORDS,
    )

    def __init__(self, *args: Any, studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["study"]
        assert isinstance(choice, forms.ModelChoiceField)
        choice.queryset = studies.order_by("title", "slug")

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        study, name = given.get("study"), given.get("name")
        if study and name and Release.objects.filter(study=study, name=name).exists():
            self.add_error("name", _("This study has a release of that name already."))
        shares = [given.get(split) for split in ("train", "validation", "test")]
        known = [share / 100 for share in shares if share is not None]
        if len(known) == len(shares):
            try:
                self.ratios = Ratios(*known)
            except BadRatios:
                self.add_error("train", _("The three shares add up to 100%."))
        return given

    @property
    def layout_options(self) -> list[tuple[Any, Any]]:
        """Each radio button with what it means."""
        return [(radio, MEANINGS[radio.data["value"]]) for radio in self["layout"]]

    @property
    def test_options(self) -> list[tuple[Any, Any]]:
        return [(radio, MEANINGS[TestFrom(radio.data["value"])]) for radio in self["test_from"]]

    @property
    def rule(self) -> ReleaseRule:
        given = self.cleaned_data
        return ReleaseRule(self.ratios, TestFrom(given["test_from"]), given["layout"])


def first_values(study: Study | None) -> dict[str, Any]:
    """What the form proposes: the next name, and the seed of the last release."""
    if study is None:
        return {"seed": secrets.randbits(32)}
    number = study.releases.count() + 1
    return {"study": study.pk, "name": f"v{number}", "seed": seed_for(study)}
