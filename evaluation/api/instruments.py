"""Instruments, which all studies share."""

import json
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.instruments.as_data import MOST_CHARACTERS, declaration_from
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.house import ReportsNeed
from evaluation.instruments.parts import BadInstrument
from evaluation.models import Instrument
from evaluation.services.instruments import (
    NothingNew,
    SlugTaken,
    UnknownInstrument,
    find_instrument,
    make_instrument,
    make_version,
)
from studies.api.base import ApiView
from studies.api.paging import PageQuery, page_of, page_schema
from studies.api.problems import refusing

TAGS = ["Evaluation"]
SEE, MAKE = "evaluation.view_instrument", "evaluation.add_instrument"
DECLARED = {
    "slug": "my-instrument",
    "title": "My instrument",
    "about": "What raters judge.",
    "questions": [
        {
            "slug": "clear",
            "text": "How clear is the output?",
            "kind": "likert",
            "options": [{"code": 1, "label": "Not at all"}, {"code": 2, "label": "Very"}],
            "level": "ordinal",
        }
    ],
}
EXAMPLE = OpenApiExample("One question", value={"declaration": DECLARED}, request_only=True)


class InstrumentSerializer(serializers.ModelSerializer[Instrument]):
    instrument = serializers.SlugField(source="slug", help_text="The short name.")
    declaration = serializers.DictField(help_text="The questions, as docs/evaluation.md says.")

    class Meta:
        model = Instrument
        fields = ("instrument", "version", "title", "declaration", "made_at")
        read_only_fields = fields


class DeclarationSerializer(serializers.Serializer[Any]):
    declaration = serializers.DictField(help_text="As docs/evaluation.md says.")

    def validate_declaration(self, data: dict[str, Any]) -> Declaration:
        if len(json.dumps(data, ensure_ascii=False)) > MOST_CHARACTERS:
            text = _("A declaration has %(most)s characters at most.")
            raise serializers.ValidationError(text % {"most": f"{MOST_CHARACTERS:,}"})
        try:
            return declaration_from(data)
        except BadInstrument as error:
            raise serializers.ValidationError(str(error)) from error


class InstrumentsView(ApiView):
    """Security: staff who may see instruments; by POST those who may add some."""

    needs = {"GET": (SEE,), "POST": (SEE, MAKE)}

    @extend_schema(
        operation_id="list_instruments",
        summary="Instruments, every version of them",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(InstrumentSerializer)},
    )
    def get(self, request: Request) -> Response:
        rows = Instrument.objects.all()
        return page_of(request, rows, InstrumentSerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="make_instrument",
        summary="Make an instrument",
        tags=TAGS,
        request=DeclarationSerializer,
        responses={201: InstrumentSerializer},
        examples=[EXAMPLE],
    )
    def post(self, request: Request) -> Response:
        declared = self.given(DeclarationSerializer)["declaration"]
        with refusing(SlugTaken):
            made = make_instrument(declared=declared, user=self.user)
        return Response(InstrumentSerializer(made).data, status=201)


class InstrumentView(ApiView):
    """Security: as the list. Its newest version; NAME@2 is one of them."""

    needs = {"GET": (SEE,), "POST": (SEE, MAKE)}

    @property
    def instrument(self) -> Instrument:
        try:
            return find_instrument(self.kwargs["instrument"])
        except UnknownInstrument as unknown:
            raise NotFound(str(unknown)) from unknown

    @extend_schema(
        operation_id="get_instrument",
        summary="One instrument: its newest version, or NAME@2",
        tags=TAGS,
        responses={200: InstrumentSerializer},
    )
    def get(self, request: Request, instrument: str) -> Response:
        return Response(InstrumentSerializer(self.instrument).data)

    @extend_schema(
        operation_id="make_instrument_version",
        summary="Make the next version of an instrument",
        tags=TAGS,
        request=DeclarationSerializer,
        responses={201: InstrumentSerializer},
        examples=[EXAMPLE],
    )
    def post(self, request: Request, instrument: str) -> Response:
        base, declared = self.instrument, self.given(DeclarationSerializer)["declaration"]
        if declared.slug != base.slug:
            text = _("A version keeps the short name “%(slug)s”.") % {"slug": base.slug}
            raise serializers.ValidationError({"declaration": [text]})
        with refusing(NothingNew, ReportsNeed):
            made = make_version(declared=declared, user=self.user)
        return Response(InstrumentSerializer(made).data, status=201)
