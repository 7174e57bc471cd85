from collections.abc import Iterator
from typing import Any

import orjson
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation.models import Release, Split
from modeling.instances.building import BadVariant, Variant, as_row, built
from modeling.instances.sources import kept_apart, tuples_of_release
from modeling.instances.state_inference import INPUTS, PARTITIONS
from modeling.tasks.registry import TASKS
from studies.api.base import ApiView
from studies.api.paging import NDJSON, NdjsonRenderer
from studies.api.problems import refusing


class InstancesQuery(serializers.Serializer[Any]):
    task = serializers.ChoiceField(list(TASKS))
    split = serializers.ChoiceField(Split.values, required=False, help_text="This one alone.")
    partition = serializers.ChoiceField(
        list(PARTITIONS),
        default="both",
        help_text="State inference: about the story, its revision, or both.",
    )
    input = serializers.ChoiceField(
        list(INPUTS),
        default="marked",
        help_text="State inference: the story with supporting sentences marked, without marks, or "
        "these sentences alone.",
    )


class InstancesView(ApiView):
    """Security: researchers of the study who may see releases."""

    needs = {"GET": ("annotation.view_release",)}
    refuses_reading = True
    renderer_classes = (NdjsonRenderer,)

    @extend_schema(
        operation_id="build_instances",
        summary="Inputs and answers for models, made of a release, one JSON object a line",
        tags=["Model runs"],
        parameters=[InstancesQuery],
        responses={(200, NDJSON): OpenApiTypes.STR},
    )
    def get(self, request: Request, study: str, name: str) -> StreamingHttpResponse:
        release = self.found(self.study.releases.all(), name=name)
        given = self.asked(InstancesQuery)
        with refusing(BadVariant):
            variant = Variant(given["task"], given["input"], given["partition"])
        response = StreamingHttpResponse(
            _lines(release, variant, given.get("split")), content_type=NDJSON
        )
        file = f"{study}-{name}-{variant.task}.ndjson"
        response["Content-Disposition"] = f'attachment; filename="{file}"'
        return response


def _lines(release: Release, variant: Variant, split: str | None) -> Iterator[bytes]:
    for found, one, instance in built(kept_apart(tuples_of_release(release)), variant):
        if split in {None, found}:
            yield orjson.dumps(as_row(found, one, instance), option=orjson.OPT_APPEND_NEWLINE)
