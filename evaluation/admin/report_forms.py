"""What a report's page can be asked."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.reports.making import Asked
from evaluation.reports.registry import RULES

RULE_NAMES = {RULES[0]: _("as published"), RULES[1]: _("as the text has it")}
WHOLE = {
    "invalid": _("Give a whole number."),
    "min_value": _("Give a number of 1 or more."),
    "max_value": _("Give a smaller number."),
}


class ReportForm(forms.Form):
    """`asked` after is_valid()."""

    system = forms.MultipleChoiceField(
        label=_("Systems"), required=False, widget=forms.CheckboxSelectMultiple
    )
    instrument = forms.ChoiceField(label=_("Instrument"), required=False)
    rule = forms.ChoiceField(label=_("Rule"), choices=list(RULE_NAMES.items()), required=False)
    expected_items = forms.IntegerField(
        label=_("Items expected"),
        min_value=1,
        max_value=10**6,
        required=False,
        error_messages=WHOLE,
    )
    first_submitted = forms.IntegerField(
        label=_("First ratings only"),
        min_value=1,
        max_value=10**9,
        required=False,
        error_messages=WHOLE,
    )

    release = forms.ChoiceField(label=_("What people wrote"), required=False)

    def __init__(
        self,
        data: Any,
        *,
        systems: Sequence[str],
        instruments: Sequence[str],
        releases: Sequence[str],
    ) -> None:
        super().__init__(data)
        names = [("", _("the one that suits")), *((slug, slug) for slug in instruments)]
        self._offer("system", [(name, name) for name in systems])
        self._offer("instrument", names)
        newest = [("", _("the newest release")), *((name, name) for name in releases)]
        self._offer("release", newest)

    def _offer(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    @property
    def asked(self) -> Asked:
        given = self.cleaned_data
        return Asked(
            rule=given["rule"] or RULES[0],
            systems=tuple(given["system"]),
            instrument=given["instrument"] or None,
            expected_items=given["expected_items"],
            first_submitted=given["first_submitted"],
            release=given["release"] or None,
        )
