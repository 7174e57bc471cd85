from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Judgement, Verdict
from studies.api.base import ApiView
from studies.api.paging import NDJSON, NdjsonRenderer, PageQuery, page_of, page_schema, stream_of

TAGS = ["Reviews"]


class ReviewSerializer(serializers.ModelSerializer[Verdict]):
    review = serializers.IntegerField(source="pk")
    response = serializers.IntegerField(source="contribution.response_id")
    reviewer = serializers.CharField(source="reviewer.username")
    verdict = serializers.CharField(source="judgement")

    class Meta:
        model = Verdict
        fields = (
            *("review", "response", "reviewer", "source", "verdict", "grade", "step", "reason"),
            *("remark", "seconds", "decided_at", "replaced_at"),
        )
        read_only_fields = fields


class ReviewFilter(serializers.Serializer[Any]):
    verdict = serializers.ChoiceField(Judgement.choices, required=False)
    history = serializers.BooleanField(default=False, help_text="With verdicts since replaced.")


class ReviewQuery(ReviewFilter, PageQuery):
    pass


class OfReviews(ApiView):
    """Security: researchers of the study who may see verdicts."""

    needs = {"GET": ("annotation.view_verdict",)}

    def rows(self, asked: dict[str, Any]) -> QuerySet[Verdict]:
        rounds = list(self.study.rounds.values_list("pk", flat=True))
        rows = Verdict.objects.filter(
            contribution__response__assignment__task__round__in=rounds
        ).select_related("contribution", "reviewer")
        if "verdict" in asked:
            rows = rows.filter(judgement=asked["verdict"])
        return rows if asked["history"] else rows.filter(replaced_at__isnull=True)


class ReviewsView(OfReviews):
    @extend_schema(
        operation_id="list_reviews",
        summary="Experts' verdicts on the study's responses",
        tags=TAGS,
        parameters=[ReviewQuery],
        responses={200: page_schema(ReviewSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        asked = self.asked(ReviewQuery)
        return page_of(request, self.rows(asked), ReviewSerializer, asked)


class ReviewStreamView(OfReviews):
    renderer_classes = (NdjsonRenderer,)

    @extend_schema(
        operation_id="stream_reviews",
        summary="All verdicts, one JSON object a line",
        tags=TAGS,
        parameters=[ReviewFilter],
        responses={(200, NDJSON): OpenApiTypes.STR},
    )
    def get(self, request: Request, study: str) -> StreamingHttpResponse:
        rows = self.rows(self.asked(ReviewFilter))
        return stream_of(rows, ReviewSerializer, f"{study}-reviews")
