from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studies.access import visible_studies
from studies.api.base import ApiView
from studies.api.paging import PageQuery, page_of, page_schema
from studies.api.problems import refusing
from studies.models import Study, StudyRole
from studies.services.studies import StudyRefused, create_study

TAGS = ["Studies"]
EXAMPLE = OpenApiExample(
    "A study",
    value={
        "study": "evenings",
        "title": "Quiet evenings",
        "budget_usd": "500.00",
        "worker_cap": None,
        "created_at": "2026-03-02T09:00:00Z",
    },
    response_only=True,
)


class StudySerializer(serializers.ModelSerializer[Study]):
    study = serializers.CharField(source="slug", help_text="The short name, as in addresses.")

    class Meta:
        model = Study
        fields = ("study", "title", "budget_usd", "worker_cap", "created_at")


class NewStudySerializer(serializers.Serializer[Any]):
    study = serializers.SlugField(max_length=50, help_text="The short name.")
    title = serializers.CharField(
        max_length=200, required=False, default="", help_text="By itself made from the short name."
    )


class StudiesView(ApiView):
    """Security: staff who may see studies, of their own; by POST those who may add one."""

    needs = {"GET": ("studies.view_study",), "POST": ("studies.add_study",)}

    @extend_schema(
        operation_id="list_studies",
        summary="The studies you work on",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(StudySerializer)},
    )
    def get(self, request: Request) -> Response:
        rows = visible_studies(self.user, StudyRole.RESEARCHER)
        return page_of(request, rows, StudySerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="create_study",
        summary="Create a study; you become its researcher",
        tags=TAGS,
        request=NewStudySerializer,
        responses={201: StudySerializer},
        examples=[EXAMPLE],
    )
    def post(self, request: Request) -> Response:
        given = self.given(NewStudySerializer)
        members = {self.user.get_username(): StudyRole.RESEARCHER}
        with refusing(StudyRefused):
            study = create_study(slug=given["study"], title=given["title"], members=members)
        return Response(StudySerializer(study).data, status=201)


class StudyView(ApiView):
    """Security: staff who may see studies, and are researchers of this one."""

    needs = {"GET": ("studies.view_study",)}

    @extend_schema(
        operation_id="get_study",
        summary="One study",
        tags=TAGS,
        responses={200: StudySerializer},
        examples=[EXAMPLE],
    )
    def get(self, request: Request, study: str) -> Response:
        return Response(StudySerializer(self.study).data)
