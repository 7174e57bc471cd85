"""What the page that starts runs asks for."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from annotation.models import Release
from modeling.configuration import BadConfiguration
from modeling.instances.building import BadVariant, Variant
from modeling.instances.state_inference import INPUTS, PARTITIONS
from modeling.methods import METHODS
from modeling.presets import PRESETS
from modeling.runs.asking import configuration_for, fresh_seeds, settings_from
from modeling.runs.creating import (
    LARGEST_SEED,
    LONGEST_NAME,
    MOST_PROCESSES,
    MOST_SEEDS,
    RunRefused,
    runs_named,
)
from modeling.tasks.registry import TASKS


def _choice(label: Any, values: Any, **more: Any) -> forms.ChoiceField:
    choices = [(value, value) for value in values]
    return forms.ChoiceField(label=label, choices=choices, widget=UnfoldAdminSelectWidget, **more)


class RunForm(forms.Form):
    """`asked` after is_valid(): what `create_runs` takes."""

    title = _("Start a run")
    release = forms.ModelChoiceField(
        Release.objects.none(),
        label=_("Release"),
        empty_label=_("Choose a release"),
        widget=UnfoldAdminSelectWidget,
        error_messages={"required": _("Choose the release that it learns from.")},
    )
    task = _choice(_("Task"), TASKS)
    input = _choice(
        _("Input"),
        INPUTS,
        initial="marked",
        help_text=_("Other than marked: state inference only."),
    )
    partition = _choice(
        _("Learns from"),
        PARTITIONS,
        initial="both",
        help_text=_("Instances about the story, its revision, or both; it is tested on both."),
    )
    how = forms.ChoiceField(label=_("Preset or method"), widget=UnfoldAdminSelectWidget)
    settings = forms.CharField(
        label=_("Settings that differ"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        help_text=_("One a line, such as epochs=3 or model=google-t5/t5-small."),
    )
    seeds = forms.CharField(
        label=_("Seeds"),
        max_length=1000,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("A run for each, such as 1 2 3 4 5."),
        error_messages={"required": _("Give one seed or more.")},
    )
    queue = forms.ChoiceField(
        label=_("Queue"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=_("Which workers take it; by itself what the method needs."),
    )
    processes = forms.IntegerField(
        label=_("GPUs that work together"),
        initial=1,
        min_value=1,
        max_value=MOST_PROCESSES,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "numeric"}),
    )
    name = forms.CharField(
        label=_("Name"), required=False, max_length=LONGEST_NAME, widget=UnfoldAdminTextInputWidget
    )

    def __init__(self, *args: Any, releases: QuerySet[Release], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        release, how, queue = (self.fields[name] for name in ("release", "how", "queue"))
        assert isinstance(release, forms.ModelChoiceField)
        assert isinstance(how, forms.ChoiceField) and isinstance(queue, forms.ChoiceField)
        release.queryset = releases.order_by("study__title", "-pk")
        how.choices = [
            (_now("Presets, as published"), [(f"preset {name}", name) for name in PRESETS]),
            (_now("Methods"), [(f"method {slug}", one.name) for slug, one in METHODS.items()]),
        ]
        queue.choices = [("", _now("What the method needs")), *((one, one) for one in self.queues)]
        if not self.is_bound:
            self.initial.setdefault("seeds", str(fresh_seeds(1)[0]))

    @property
    def queues(self) -> list[str]:
        return list(settings.RUN_QUEUES)

    def clean_seeds(self) -> list[int]:
        words = self.cleaned_data["seeds"].replace(",", " ").split()
        if not all(word.isdecimal() and int(word) <= LARGEST_SEED for word in words):
            raise forms.ValidationError(_now("Seeds are whole numbers from 0."))
        seeds = [int(word) for word in words]
        if len(set(seeds)) < len(seeds):
            raise forms.ValidationError(_now("A seed stands there twice."))
        if len(seeds) > MOST_SEEDS:
            raise forms.ValidationError(_now("Give %(most)s seeds at most.") % {"most": MOST_SEEDS})
        return seeds

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if self.errors:
            return given
        kind, _space, name = given["how"].partition(" ")
        named = {"preset_name": name} if kind == "preset" else {"method": name}
        try:
            self.variant = Variant(given["task"], given["input"], given["partition"])
        except BadVariant as refusal:
            self.add_error("input", str(refusal))
            return given
        try:
            changes = settings_from(given["settings"].splitlines())
            self.configuration = configuration_for(task=given["task"], **named, settings=changes)
        except BadConfiguration as refusal:
            for setting, problem in refusal.problems.items():
                self.add_error("settings", f"{setting}: {problem}")
        except RunRefused as refusal:
            self.add_error("how", str(refusal))
        else:
            if given["task"] not in self.configuration.for_tasks:
                self.add_error("how", _now("This cannot do the task that is chosen above."))
            try:
                runs_named(given["release"].study, self.configuration)
            except RunRefused as refusal:
                self.add_error("settings", str(refusal))
        return given

    @property
    def asked(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "study": given["release"].study,
            "release": given["release"],
            "variant": self.variant,
            "configuration": self.configuration,
            **{name: given[name] for name in ("seeds", "queue", "processes", "name")},
        }
