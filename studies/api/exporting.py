"""A study's responses as the files that `manage.py export_responses` writes."""

import tempfile
from pathlib import Path
from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from studies.api.paging import NDJSON, NdjsonRenderer
from studies.api.problems import refusing
from studies.api.responses import TAGS, ResponseView
from studies.services.response_export import ExportRefused, export_responses
from studies.services.response_layout import OWN, PUBLISHED, TABLE

CSV = "text/csv"
TYPES = {PUBLISHED: NDJSON, OWN: NDJSON, TABLE: CSV}


class ExportQuery(serializers.Serializer[Any]):
    layout = serializers.ChoiceField(
        list(TYPES), help_text="pasta-jsonl: as published; jsonl: everything; csv: a spreadsheet."
    )
    round = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="Only this round."
    )
    skip_unfit = serializers.BooleanField(
        default=False, help_text="Leave out responses that the layout has no room for."
    )


class CsvRenderer(BaseRenderer):
    """Names the type of a table, which the service writes."""

    media_type = CSV
    format = "csv"

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        return bytes(data)


class ExportView(ResponseView):
    renderer_classes = (NdjsonRenderer, CsvRenderer)

    @extend_schema(
        operation_id="export_responses",
        summary="The confirmed responses as one file; pilots stay out",
        tags=TAGS,
        parameters=[ExportQuery],
        responses={(200, NDJSON): OpenApiTypes.STR, (200, CSV): OpenApiTypes.STR},
    )
    def get(self, request: Request, study: str) -> FileResponse:
        found, asked = self.study, self.asked(ExportQuery)
        layout, number = asked["layout"], asked.get("round")
        round = None if number is None else self.found(found.rounds.all(), number=number)
        with tempfile.TemporaryDirectory() as folder, refusing(ExportRefused):
            path = Path(folder) / f"{found.slug}-responses.{'csv' if layout == TABLE else 'jsonl'}"
            export_responses(
                study=found, fmt=layout, path=path, round=round, skip_unfit=asked["skip_unfit"]
            )
            # Open, it outlives its name.
            whole = path.open("rb")
        return FileResponse(
            whole, as_attachment=True, filename=path.name, content_type=TYPES[layout]
        )
