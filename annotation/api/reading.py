"""A contribution as an expert reads it, and what they can say of it. Nothing tells whose it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers
from rest_framework.exceptions import NotFound

from annotation.models import Judgement, Turn, Verdict
from annotation.review.counted import is_judged
from annotation.review.deciding import NotYours, VerdictIncomplete
from studies.access import visible_rows, visible_studies
from studies.api.base import ApiView
from studies.api.fields import NumberField
from studies.models import Study

TAGS = ["Reviewing"]
REVIEW = ("annotation.add_verdict",)
TO_STUDY = "contribution__response__assignment__task__round__study"
MOST_SECONDS = 3600
# As the services call a field, and as the API does.
NAMES = {"judgement": "verdict"}
VERDICTS = [
    OpenApiExample("Good", value={"verdict": "correct", "grade": "good"}, request_only=True),
    OpenApiExample(
        "An action in step 1",
        value={"verdict": "reject", "step": 1, "reason": "action", "seconds": 12.5},
        request_only=True,
    ),
]


class SaidSerializer(serializers.ModelSerializer[Verdict]):
    verdict = serializers.ChoiceField(Judgement.choices, source="judgement")

    class Meta:
        model = Verdict
        fields = ("verdict", "grade", "step", "reason", "remark")
        read_only_fields = fields


class VerdictSerializer(serializers.Serializer[Any]):
    """Correct with a grade, or rejected at a step for a reason."""

    verdict = serializers.ChoiceField(Judgement.choices, source="judgement")
    grade = serializers.CharField(max_length=30, required=False)
    step = serializers.IntegerField(min_value=0, max_value=100, required=False)
    reason = serializers.CharField(max_length=50, required=False)
    remark = serializers.CharField(max_length=1000, required=False)
    seconds = NumberField(
        min_value=0, max_value=MOST_SECONDS, required=False, help_text="How long it took you."
    )


class ContributionSerializer(serializers.Serializer[Any]):
    """What is judged: `item` is what the worker was shown, `content` what they made of it."""

    task_type = serializers.CharField(source="contribution.response.task_type")
    item = serializers.DictField(source="contribution.response.assignment.task.payload")
    content = serializers.DictField(source="contribution.content")
    warnings = serializers.ListField(
        source="contribution.response.cautions", child=serializers.DictField()
    )
    evidence = serializers.DictField(
        source="contribution.response.evidence",
        allow_null=True,
        help_text="How the text came to be, as its page counted it; null where it did not.",
    )


class TurnSerializer(ContributionSerializer):
    turn = serializers.IntegerField(source="pk")
    study = serializers.CharField(source=f"{TO_STUDY.replace('__', '.')}.slug")
    source = serializers.CharField(  # type: ignore[assignment]
        help_text="sample, pool or single."
    )
    state = serializers.SerializerMethodField(help_text="open, put-off or done.")
    verdict = serializers.SerializerMethodField(help_text="What you said; null until you did.")

    def get_state(self, turn: Turn) -> str:
        if turn.done_at is not None:
            return "done"
        return "open" if turn.deferred_at is None else "put-off"

    def get_verdict(self, turn: Turn) -> dict[str, Any] | None:
        verdicts = Verdict.objects.filter(
            contribution=turn.contribution_id, reviewer=turn.reviewer_id, replaced_at__isnull=True
        )
        found = verdicts.first()
        return None if found is None else dict(SaidSerializer(found).data)


class ReviewerView(ApiView):
    """Security: staff who may add verdicts, in studies that they work on, in whichever role; a turn
    has to be their own."""

    needs = {"GET": REVIEW, "POST": REVIEW}

    @property
    def study(self) -> Study:
        return self.found(visible_studies(self.user), slug=self.kwargs["study"])

    @property
    def turn(self) -> Turn:
        rows = Turn.objects.select_related("reviewer", TO_STUDY)
        mine = visible_rows(self.user, rows).filter(reviewer=self.user)
        found = self.found(mine, pk=self.kwargs["turn"])
        if not is_judged(found.contribution):
            raise NotFound(_("This was withdrawn: it is neither shown nor judged any more."))
        return found

    def said(self) -> dict[str, Any]:
        """The verdict in the body, as the services take it."""
        return self.given(VerdictSerializer)


@contextmanager
def judging() -> Iterator[None]:
    """What is missing is said of its field; what is no longer theirs is not found."""
    try:
        yield
    except VerdictIncomplete as gap:
        name = NAMES.get(gap.field, gap.field)
        raise serializers.ValidationError({name: gap.message}) from gap
    except NotYours as gone:
        raise Http404 from gone
