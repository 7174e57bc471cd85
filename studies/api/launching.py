"""What a launch asks for, as the API reads it."""

from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from studies import task_types
from studies.durations import DurationError, parse_duration
from studies.models import Eligibility, Round, Study
from studies.services.plans import MAX_OVERLAP, MAX_SLOTS, Plan

LARGEST = 2**31 - 1


@extend_schema_field({"type": "string", "maxLength": 20})
class DurationText(serializers.Field[Any, Any, Any, Any]):
    """A length of time as people write it: 45s, 30m, 1h30m, 7d."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return parse_duration(str(data)[:20])
        except DurationError as error:
            raise serializers.ValidationError(str(error)) from error

    def get_default(self) -> Any:
        return parse_duration(str(super().get_default()))


class RoundPlanSerializer(serializers.Serializer[Any]):
    """What every launch asks for, whatever is done in the round."""

    overlap = serializers.IntegerField(
        min_value=1, max_value=MAX_OVERLAP, help_text="How many different workers do each task."
    )
    reward_usd = serializers.DecimalField(
        max_digits=6,
        decimal_places=2,
        min_value=Decimal(0),
        max_value=Decimal(1000),
        help_text="US dollars for one task.",
    )
    time_limit = DurationText(default="30m")
    lifetime = DurationText(default="7d")
    auto_approval_delay = DurationText(default="3d")
    eligibility = serializers.ChoiceField(Eligibility.choices, default=Eligibility.OPEN.value)
    worker_cap = serializers.IntegerField(min_value=1, max_value=MAX_SLOTS, required=False)
    apart_from = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST),
        max_length=100,
        required=False,
        help_text="Numbers of rounds with whose workers this one shares none.",
    )
    pilot = serializers.BooleanField(default=False)
    seed = serializers.IntegerField(
        min_value=0, max_value=2**63 - 1, required=False, help_text="For ties between tasks."
    )


class PlanSerializer(RoundPlanSerializer):
    task_type = serializers.CharField(max_length=50, help_text="Such as state_annotation.")
    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_SLOTS, required=False, help_text="Only the first stories."
    )


class LaunchAnswersSerializer(serializers.Serializer[Any]):
    launch_key = serializers.UUIDField(
        required=False, help_text="Sent again with the same key, a launch is made once."
    )
    unpaid = serializers.BooleanField(
        default=False, help_text="Needed where the reward is 0: this round pays nothing."
    )
    above_budget = serializers.BooleanField(
        default=False, help_text="Needed where it costs more than what is left of the budget."
    )


class LaunchSerializer(LaunchAnswersSerializer, PlanSerializer):
    pass


def plan_of(given: dict[str, Any], study: Study) -> Plan:
    """Raises RoundRefused, and ValidationError for what the study does not have."""
    wanted = {name: given[name] for name in Plan.__dataclass_fields__ if name in given}
    try:
        kind = task_types.get(given["task_type"])
    except task_types.UnknownTaskType as unknown:
        raise serializers.ValidationError(
            {"task_type": _("There is no such task type.")}
        ) from unknown
    return Plan(
        **wanted
        | {
            "study": study,
            "task_type": kind,
            "eligibility": Eligibility(given["eligibility"]),
            "apart_from": numbered_rounds(study, given.get("apart_from", [])),
        }
    )


def numbered_rounds(study: Study, numbers: list[int]) -> list[Round]:
    """Raises ValidationError for a number that the study does not have."""
    found = list(study.rounds.filter(number__in=numbers))
    if len(found) < len(set(numbers)):
        raise serializers.ValidationError({"apart_from": _("This study has no such round.")})
    return found
