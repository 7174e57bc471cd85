"""What a launch of an evaluation round asks for, as the API reads it."""

from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.models import Split
from evaluation.models import Instrument
from evaluation.services.instruments import UnknownInstrument, find_instrument
from evaluation.services.rating_rounds import (
    DEFAULT_GOLD_SHARE,
    Design,
    RatingPlan,
    plan_ratings,
)
from evaluation.services.rating_sources import (
    RELEASE_INPUTS,
    Source,
    find_run,
    gold_from,
    outputs_from,
)
from studies.api.launching import (
    LARGEST,
    LaunchAnswersSerializer,
    RoundPlanSerializer,
    numbered_rounds,
)
from studies.api.uploads import not_too_large
from studies.models import Eligibility, Study

MOST_RUNS = 20
OF_PLAN = (
    *("overlap", "reward_usd", "time_limit", "lifetime", "auto_approval_delay", "worker_cap"),
    *("pilot", "seed", "above_budget"),
)


class RatingLaunchSerializer(LaunchAnswersSerializer, RoundPlanSerializer):
    """Exactly one of `file`, `release` and `runs`."""

    instrument = serializers.SlugField(max_length=50, help_text="Its newest version is asked.")
    file = serializers.FileField(
        required=False, max_length=200, help_text="Outputs of systems, JSONL or CSV."
    )
    release = serializers.SlugField(max_length=50, required=False)
    input = serializers.ChoiceField(
        RELEASE_INPUTS, default=RELEASE_INPUTS[0], help_text="Of a release: with or without marks."
    )
    split = serializers.ChoiceField(
        Split.choices, required=False, help_text="Of a release; left out: all of it."
    )
    runs = serializers.ListField(
        child=serializers.CharField(max_length=100), required=False, max_length=MOST_RUNS
    )
    with_people = serializers.BooleanField(
        default=False, help_text="Beside runs, what people wrote as one more system."
    )
    sample = serializers.IntegerField(
        min_value=1, max_value=LARGEST, required=False, help_text="So many stories or tuples."
    )
    same_raters = serializers.BooleanField(
        default=False, help_text="All items of a story on one page."
    )
    gold = serializers.FileField(
        required=False, max_length=200, help_text="Items whose right answers are known."
    )
    gold_share = serializers.DecimalField(
        max_digits=4,
        decimal_places=3,
        min_value=Decimal(0),
        max_value=Decimal("0.999"),
        default=DEFAULT_GOLD_SHARE,
        help_text="Tasks of gold items to each other task.",
    )

    def validate_file(self, file: Any) -> Any:
        return not_too_large(file)

    def validate_gold(self, file: Any) -> Any:
        return not_too_large(file)


def rating_plan_of(given: dict[str, Any], study: Study) -> RatingPlan:
    """Raises BadItems, RoundRefused, and ValidationError for what the study does not have."""
    instrument = _instrument(given["instrument"])
    file, gold = given.get("file"), given.get("gold")
    source = Source(
        file=file,
        name=file.name if file else "",
        release=_release(study, given.get("release")),
        input=given["input"],
        split=given.get("split", ""),
        runs=_runs(study, given.get("runs", [])),
        with_people=given["with_people"],
    )
    outputs = outputs_from(source, study=study, instrument=instrument)
    chosen = {name: given[name] for name in OF_PLAN if name in given}
    return plan_ratings(
        study=study,
        instrument=instrument,
        outputs=outputs,
        design=Design(given.get("sample"), given["same_raters"], given["gold_share"]),
        chosen=chosen
        | {
            "eligibility": Eligibility(given["eligibility"]),
            "apart_from": numbered_rounds(study, given.get("apart_from", [])),
        },
        gold=gold and gold_from(gold, name=gold.name, study=study, instrument=instrument),
    )


def _instrument(slug: str) -> Instrument:
    try:
        return find_instrument(slug)
    except UnknownInstrument as unknown:
        raise serializers.ValidationError({"instrument": str(unknown)}) from unknown


def _release(study: Study, name: str | None) -> Any:
    if name is None:
        return None
    found = study.releases.filter(name=name).first()
    if found is None:
        raise serializers.ValidationError({"release": _("This study has no such release.")})
    return found


def _runs(study: Study, names: list[str]) -> list[Any]:
    found = [find_run(study, name) for name in names]
    if None in found:
        raise serializers.ValidationError({"runs": _("This study has no such run.")})
    return found
