"""Forms of the study and round pages. They parse into plain values; services decide."""

import secrets
import uuid
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    RADIO_CLASSES,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from studies import task_types
from studies.admin.limit_fields import LimitFields
from studies.durations import DurationError, format_duration, parse_duration
from studies.models import Eligibility, Study
from studies.services.plans import MAX_OVERLAP, MAX_SLOTS, Plan, RoundRefused

EXPLANATIONS = {
    Eligibility.OPEN: _("Anybody who has access to the marketplace."),
    Eligibility.STAGE1: _(
        "Workers with a record: at least 5,000 approved tasks, 98% of their work approved, "
        "in the United States or Canada."
    ),
    Eligibility.PROFICIENT: _(
        "Only workers whom this study found proficient: by its rule, or marked by you on the "
        "Participants page."
    ),
}


# Django's own sentences speak of values and validity; these say what to write.
WORDS = {
    "required": _("Fill this in."),
    "invalid": _("Write a number, such as 3 or 0.35."),
    "min_value": _("Write at least %(limit_value)s."),
    "max_value": _("Write at most %(limit_value)s."),
    "max_decimal_places": _("Write whole cents, such as 0.35."),
}


class DurationTextField(forms.CharField):
    """A length of time as people write it: 45s, 30m, 1h30m, 7d."""

    widget = UnfoldAdminTextInputWidget

    def prepare_value(self, value: Any) -> Any:
        return format_duration(value) if isinstance(value, timedelta) else value

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text:
            return None
        try:
            return parse_duration(text)
        except DurationError as error:
            raise forms.ValidationError(str(error)) from error


CHOSEN = (
    *("overlap", "reward_usd", "pilot", "time_limit", "lifetime", "auto_approval_delay"),
    *("eligibility", "worker_cap", "apart_from", "seed"),
)


class RoundFields(LimitFields):
    """What every launch asks for, whatever is done in the round."""

    overlap = forms.IntegerField(
        label=_("Overlap"),
        min_value=1,
        max_value=MAX_OVERLAP,
        initial=3,
        help_text=_("How many different workers do each task."),
        widget=UnfoldAdminIntegerFieldWidget,
    )
    reward_usd = forms.DecimalField(
        label=_("Reward (USD)"),
        min_value=Decimal(0),
        max_value=Decimal(1000),
        decimal_places=2,
        initial=Decimal("0.35"),
        help_text=_("US dollars for one task. The marketplace's fee comes on top."),
        widget=UnfoldAdminDecimalFieldWidget(attrs={"step": "0.01"}),
    )
    pilot = forms.BooleanField(
        label=_("Pilot"),
        required=False,
        help_text=_("Tries the task and suggests a reward; never enters a release."),
        widget=UnfoldBooleanWidget,
    )
    target_hourly_usd = forms.DecimalField(
        label=_("Hourly pay to aim for (USD)"),
        min_value=Decimal("0.01"),
        max_value=Decimal(1000),
        decimal_places=2,
        required=False,
        help_text=_("Suggests a reward once responses show how long a task takes."),
        widget=UnfoldAdminDecimalFieldWidget(attrs={"step": "0.01"}),
    )
    time_limit = DurationTextField(
        label=_("Time limit"),
        initial=timedelta(minutes=30),
        help_text=_("For one task, such as 30m or 1h30m. What is not sent by then is freed."),
    )
    lifetime = DurationTextField(
        label=_("Lifetime"),
        initial=timedelta(days=7),
        help_text=_("How long the round is offered, such as 7d or 12h."),
    )
    auto_approval_delay = DurationTextField(
        label=_("Automatic approval after"),
        initial=timedelta(days=3),
        help_text=_("A response that you do not decide on is paid after this time, such as 3d."),
    )
    eligibility = forms.ChoiceField(
        label=_("Who may work"),
        choices=Eligibility.choices,
        initial=Eligibility.OPEN,
        widget=forms.RadioSelect(attrs={"class": " ".join(RADIO_CLASSES)}),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**63 - 1,
        initial=lambda: secrets.randbits(32),
        help_text=_("Breaks ties between tasks. Keep it to repeat the same order."),
        widget=UnfoldAdminIntegerFieldWidget,
    )
    launch_key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        study: Study,
        initial: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(data, others=study.rounds.order_by("-number"), initial=initial)
        self.study = study
        for field in self.fields.values():
            field.error_messages |= WORDS

    @property
    def chosen(self) -> dict[str, Any]:
        """What a plan is made of. Only after is_valid()."""
        chosen = {name: self.cleaned_data[name] for name in CHOSEN}
        return chosen | {
            "eligibility": Eligibility(chosen["eligibility"]),
            # A box on the page that says what it costs.
            "above_budget": "above_budget" in self.data,
        }

    @property
    def eligibility_options(self) -> list[tuple[Any, Any]]:
        """Each radio button with what it means."""
        return [
            (radio, EXPLANATIONS[Eligibility(str(radio.data["value"]))])
            for radio in self["eligibility"]
        ]


class LaunchForm(RoundFields):
    """A round over the study's stories; `plan` after is_valid()."""

    task_type = forms.ChoiceField(label=_("Task type"), widget=UnfoldAdminSelectWidget)
    limit = forms.IntegerField(
        label=_("Number of stories"),
        min_value=1,
        max_value=MAX_SLOTS,
        required=False,
        widget=UnfoldAdminIntegerFieldWidget,
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, study: Study, stories: int
    ) -> None:
        super().__init__(data, study=study)
        self.stories = stories
        choice = self.fields["task_type"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(kind.slug, gettext(kind.name)) for kind in task_types.of_stories()]
        self.fields["limit"].help_text = _(
            "The first ones in the order of import. Empty: all %(count)s."
        ) % {"count": stories}
        self._plan: Plan | None = None

    @property
    def plan(self) -> Plan:
        assert self._plan is not None, "only after is_valid()"
        return self._plan

    def filled_in(self) -> "LaunchForm":
        """The untouched form as if it had been sent, to estimate its cost."""
        return LaunchForm(self._as_first_shown(), study=self.study, stories=self.stories)

    def _as_first_shown(self) -> QueryDict:
        query = QueryDict(mutable=True)
        for name, field in self.fields.items():
            value = field.prepare_value(self.get_initial_for_field(field, name))
            if value not in (None, False):
                query[name] = str(value)
        query["task_type"] = next((kind.slug for kind in task_types.of_stories()), "")
        return query

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            task_type = task_types.get(cleaned["task_type"])
            limit = cleaned["limit"]
            try:
                self._plan = Plan(**self.chosen, study=self.study, task_type=task_type, limit=limit)
            except RoundRefused as refusal:
                self.add_error(None, str(refusal))
        return cleaned


class ExtendForm(forms.Form):
    """More workers for every task, more stories, or both."""

    overlap = forms.IntegerField(
        label=_("More workers for each task"),
        min_value=0,
        max_value=MAX_OVERLAP,
        initial=0,
        required=False,
        help_text=_("Added to every task of the round."),
        widget=UnfoldAdminIntegerFieldWidget,
    )
    stories = forms.IntegerField(
        label=_("More stories"),
        min_value=0,
        max_value=MAX_SLOTS,
        initial=0,
        required=False,
        widget=UnfoldAdminIntegerFieldWidget,
    )
    seen_wanted = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.error_messages |= WORDS

    def clean_overlap(self) -> int:
        return self.cleaned_data["overlap"] or 0

    def clean_stories(self) -> int:
        return self.cleaned_data["stories"] or 0

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not cleaned["overlap"] + cleaned["stories"]:
            self.add_error(
                None, _("Say how many workers for each task or how many stories to add.")
            )
        return cleaned


class RejectForm(forms.Form):
    """Why the chosen responses are not paid."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=1024,
        help_text=_(
            "The worker reads this. Say what is missing, plainly and politely, for example: "
            "“The changed assertion is still true of the story.”"
        ),
        error_messages={"required": _("Write the reason: the worker will read it.")},
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
    )
