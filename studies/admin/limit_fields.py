"""How much one worker may do, and which rounds share no worker: asked at launch and later on."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from unfold.widgets import CHECKBOX_CLASSES, UnfoldAdminIntegerFieldWidget

from studies.models import Round
from studies.services.plans import MAX_SLOTS


class LimitFields(forms.Form):
    worker_cap = forms.IntegerField(
        label=_("Tasks per worker"),
        min_value=1,
        max_value=MAX_SLOTS,
        required=False,
        help_text=_("At most so many of one worker in this round. Empty: no limit."),
        widget=UnfoldAdminIntegerFieldWidget,
    )
    apart_from = forms.ModelMultipleChoiceField(
        label=_("Keep apart from"),
        queryset=Round.objects.none(),
        required=False,
        error_messages={"invalid_choice": _("This study has no such round.")},
        widget=forms.CheckboxSelectMultiple(attrs={"class": " ".join(CHECKBOX_CLASSES)}),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        others: QuerySet[Round],
        initial: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        apart = self.fields["apart_from"]
        assert isinstance(apart, forms.ModelMultipleChoiceField)
        apart.queryset = others

    @property
    def apart_options(self) -> list[tuple[Any, Round]]:
        """Each box with the round that it stands for."""
        return [(box, box.data["value"].instance) for box in self["apart_from"]]
