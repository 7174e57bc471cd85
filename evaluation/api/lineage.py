from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Release, ReleaseRow
from evaluation.lineage.chain import CameFrom, Lineage
from evaluation.lineage.reading import RATINGS, lineage_of_rating
from evaluation.models import Item, Rating, ResultFile
from modeling.models import Generation, Run
from studies.api.base import ApiView
from studies.api.paging import PageQuery, page_of, page_schema
from studies.models import Assignment

TAGS = ["Evaluation"]
NEEDS = (
    *("evaluation.view_rating", "modeling.view_run", "annotation.view_release"),
    "studies.view_participant",
)


class RatingSerializer(serializers.ModelSerializer[Rating]):
    rating = serializers.IntegerField(source="pk")
    rater = serializers.CharField(source="rater.pseudonym", help_text="A pseudonym.")
    answers = serializers.DictField(help_text="Codes by question; of a pair about systems.")

    class Meta:
        model = Rating
        fields = (
            *("rating", "item", "label", "rater", "answers", "swapped", "place"),
            *("accepted_at", "submitted_at", "response"),
        )
        read_only_fields = fields


class RatedAssignmentSerializer(serializers.ModelSerializer[Assignment]):
    round = serializers.IntegerField(source="task.round.number")

    class Meta:
        model = Assignment
        fields = ("round", "task", "state", "accepted_at", "submitted_at")
        read_only_fields = fields


class ResultFileSerializer(serializers.ModelSerializer[ResultFile]):
    class Meta:
        model = ResultFile
        fields = ("name", "sha256", "withdrawn_at")
        read_only_fields = fields


class RatedItemSerializer(serializers.ModelSerializer[Item]):
    item = serializers.IntegerField(source="pk")
    instrument = serializers.SerializerMethodField(help_text="Short name and version.")
    result_file = ResultFileSerializer(allow_null=True)

    class Meta:
        model = Item
        fields = (
            *("item", "key", "system", "rival", "group", "part", "is_gold", "instrument"),
            "result_file",
        )
        read_only_fields = fields

    def get_instrument(self, item: Item) -> str:
        return f"{item.instrument.slug}@{item.instrument.version}"


class OutputSerializer(serializers.ModelSerializer[Generation]):
    fields_shown = serializers.DictField(source="fields", help_text="What the input was made of.")
    checkpoint_step = serializers.IntegerField(allow_null=True)
    checkpoint_folder = serializers.CharField(help_text="Below the folder of all runs.")

    class Meta:
        model = Generation
        fields = (
            *("instance_key", "fields_shown", "input_sha256", "output", "target"),
            *("checkpoint", "checkpoint_step", "checkpoint_folder"),
        )
        read_only_fields = fields


class RunOfOutputSerializer(serializers.ModelSerializer[Run]):
    run = serializers.IntegerField(source="pk")
    configuration = serializers.DictField()
    files = serializers.DictField()
    checkpoint_sha256 = serializers.CharField(
        source="facts.checkpoint_sha256", default="", help_text="Of its last weights."
    )

    class Meta:
        model = Run
        fields = (
            *("run", "public_id", "name", "task", "method", "configuration", "seed", "state"),
            *("attempts", "code_version", "data_sha256", "model_revision", "checkpoint_sha256"),
            "files",
        )
        read_only_fields = fields


class ReleaseOfOutputSerializer(serializers.ModelSerializer[Release]):
    rule = serializers.DictField()

    class Meta:
        model = Release
        fields = ("name", "sha256", "seed", "rule")
        read_only_fields = fields


class RowOfOutputSerializer(serializers.ModelSerializer[ReleaseRow]):
    response = serializers.IntegerField(source="contribution.response_id")
    story = serializers.CharField(
        source="contribution.response.assignment.task.story.external_id",
        allow_null=True,
        default=None,
    )
    writer = serializers.CharField(
        source="contribution.response.assignment.participant.pseudonym",
        allow_null=True,
        default=None,
        help_text="A pseudonym; null where an imported file names nobody.",
    )

    class Meta:
        model = ReleaseRow
        fields = ("position", "split", "response", "story", "writer")
        read_only_fields = fields


class OriginSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    is_people = serializers.BooleanField()
    generation = OutputSerializer(allow_null=True)
    run = RunOfOutputSerializer(allow_null=True)
    release = ReleaseOfOutputSerializer(allow_null=True)
    row = RowOfOutputSerializer(allow_null=True)


class LineageSerializer(serializers.Serializer[Lineage]):
    """Null is what is not known."""

    rating = RatingSerializer()
    shown_together = serializers.IntegerField(
        allow_null=True, help_text="Items on the rater's page."
    )
    on_the_left = serializers.CharField(
        allow_null=True, help_text="Of a pair: the system that the rater saw there."
    )
    assignment = RatedAssignmentSerializer(allow_null=True)
    item = RatedItemSerializer()
    came_from = serializers.ChoiceField([one.value for one in CameFrom])
    origins = OriginSerializer(many=True, help_text="Of a pair one for each system.")


class RatingsView(ApiView):
    """Security: researchers of the study who may see ratings."""

    needs = {"GET": ("evaluation.view_rating",)}

    @extend_schema(
        operation_id="list_ratings",
        summary="A study's ratings, whichever round or file they came from",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(RatingSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        rows = Rating.objects.filter(item__study=self.study).select_related("rater")
        return page_of(request, rows, RatingSerializer, self.asked(PageQuery))


class LineageView(ApiView):
    """Security: researchers of the study who may see ratings, runs, releases and participants."""

    needs = {"GET": NEEDS}

    @extend_schema(
        operation_id="get_lineage",
        summary="Where a rating comes from: round, worker, output, run, seed, release, row",
        tags=TAGS,
        responses={200: LineageSerializer},
    )
    def get(self, request: Request, study: str, rating: int) -> Response:
        found = self.found(RATINGS.filter(item__study=self.study), pk=rating)
        return Response(LineageSerializer(lineage_of_rating(found)).data)
