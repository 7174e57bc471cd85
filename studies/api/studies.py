from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studies.access import visible_studies
from studies.api.base import ApiView
from studies.api.paging import PageQuery, page_of, page_schema
from studies.api.problems import checking, refusing
from studies.models import Study, StudyRole
from studies.services.studies import SETTINGS, StudyRefused, change_study, create_study

TAGS = ["Studies"]
STUDY = {
    "study": "evenings",
    "title": "Quiet evenings",
    "budget_usd": "500.00",
    "worker_cap": None,
    "created_at": "2026-03-02T09:00:00Z",
}
EXAMPLE = OpenApiExample("A study", value=STUDY, response_only=True)


SETTINGS_EXAMPLE = OpenApiExample(
    "A study's settings",
    value={
        **STUDY,
        "worker_cap": 20,
        "consent_text": "You take part of your own free will.",
        "records_process": True,
        "contact": "lab@example.org",
    },
    response_only=True,
)
CHANGE = OpenApiExample(
    "A larger budget", value={"budget_usd": "800.00", "worker_cap": None}, request_only=True
)


class StudySerializer(serializers.ModelSerializer[Study]):
    study = serializers.CharField(source="slug", help_text="The short name, as in addresses.")

    class Meta:
        model = Study
        fields = ("study", "title", "budget_usd", "worker_cap", "created_at")


class StudySettingsSerializer(StudySerializer):
    """All that the study's page in the admin shows of it and lets change."""

    # Whether the short name is free, the service looks.
    study = serializers.SlugField(source="slug", max_length=50, help_text="The short name.")

    class Meta:
        model = Study
        fields = ("study", *(name for name in SETTINGS if name != "slug"), "created_at")
        read_only_fields = ("created_at",)


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
    """Security: staff who may see studies, and are researchers of this one; by PATCH those who may
    change them, too."""

    needs = {
        "GET": ("studies.view_study",),
        "PATCH": ("studies.view_study", "studies.change_study"),
    }

    @extend_schema(
        operation_id="get_study",
        summary="One study, with its settings",
        tags=TAGS,
        responses={200: StudySettingsSerializer},
        examples=[SETTINGS_EXAMPLE],
    )
    def get(self, request: Request, study: str) -> Response:
        return Response(StudySettingsSerializer(self.study).data)

    @extend_schema(
        operation_id="change_study",
        summary="Change a study's settings; what is left out stays",
        tags=TAGS,
        request=StudySettingsSerializer,
        responses={200: StudySettingsSerializer},
        examples=[SETTINGS_EXAMPLE, CHANGE],
    )
    def patch(self, request: Request, study: str) -> Response:
        found, changes = self.study, self.given(StudySettingsSerializer, partial=True)
        with checking(slug="study"):
            changed = change_study(study=found, changes=changes)
        self.tell_audit(changes)
        return Response(StudySettingsSerializer(changed).data)
