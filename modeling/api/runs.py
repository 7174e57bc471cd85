"""Runs of models: made, watched, stopped, compared."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Release
from modeling.configuration import BadConfiguration
from modeling.instances.building import BadVariant, Variant
from modeling.instances.state_inference import INPUTS, PARTITIONS
from modeling.models import Generation, Run
from modeling.runs.asking import configuration_for
from modeling.runs.comparing import compare
from modeling.runs.creating import (
    LARGEST_SEED,
    LONGEST_NAME,
    MOST_PROCESSES,
    MOST_SEEDS,
    RunRefused,
    create_runs,
    request_cancel,
    resume_run,
)
from modeling.runs.tasks import send_run
from modeling.tasks.registry import TASKS
from studies.api.base import ApiView
from studies.api.paging import NDJSON, NdjsonRenderer, PageQuery, page_of, page_schema, stream_of
from studies.api.problems import refusing

TAGS = ["Model runs"]
SEE = ("modeling.view_run",)
ADD, CHANGE = (*SEE, "modeling.add_run"), (*SEE, "modeling.change_run")
EXAMPLE = OpenApiExample(
    "Five seeds of T5-base, as it was published",
    value={
        "release": "v1",
        "task": "story-revision",
        "preset": "t5-base",
        "settings": {"precision": "float32"},
        "seeds": [1, 2, 3, 4, 5],
    },
    request_only=True,
)


class RunSerializer(serializers.ModelSerializer[Run]):
    run = serializers.IntegerField(source="pk")
    study = serializers.CharField(source="study.slug")
    release = serializers.CharField(source="release.name", allow_null=True, default=None)
    began_with = serializers.IntegerField(
        source="began_with_id", allow_null=True, help_text="The run whose model it went on from."
    )
    files = serializers.DictField(help_text="In place of a release: name and hash by split.")
    configuration = serializers.DictField()
    progress = serializers.DictField(help_text="step, steps, phase, eta_seconds, loss and others.")
    facts = serializers.DictField(help_text="Mean scores, and what the method says of itself.")

    class Meta:
        model = Run
        fields = (
            *("run", "public_id", "study", "name", "release", "began_with", "files", "task"),
            *("input", "partition", "method", "configuration", "seed", "queue", "processes"),
            *("state", "progress", "reason", "error", "last_words", "data_sha256"),
            *("code_version", "model_revision", "facts", "attempts"),
            *("created_at", "started_at", "finished_at"),
        )
        read_only_fields = fields


class NewRunSerializer(serializers.Serializer[Any]):
    release = serializers.SlugField(max_length=50)
    task = serializers.ChoiceField(list(TASKS))
    input = serializers.ChoiceField(INPUTS, default="marked")
    partition = serializers.ChoiceField(PARTITIONS, default="both")
    preset = serializers.CharField(max_length=50, default="", allow_blank=True)
    method = serializers.CharField(
        max_length=50, default="", allow_blank=True, help_text="In place of a preset."
    )
    settings = serializers.DictField(
        default=dict, help_text="What differs from the preset or the method's defaults."
    )
    seeds = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=LARGEST_SEED),
        min_length=1,
        max_length=MOST_SEEDS,
        help_text="A run for each.",
    )
    queue = serializers.SlugField(
        max_length=50, default="", allow_blank=True, help_text="By itself what the method needs."
    )
    processes = serializers.IntegerField(min_value=1, max_value=MOST_PROCESSES, default=1)
    name = serializers.CharField(max_length=LONGEST_NAME, default="", allow_blank=True)


class GenerationSerializer(serializers.ModelSerializer[Generation]):
    score = serializers.DictField()

    class Meta:
        model = Generation
        fields = (
            *("instance_key", "tuple_key", "part", "checkpoint", "input_sha256"),
            *("output", "target", "score"),
        )
        read_only_fields = fields


class FigureSerializer(serializers.Serializer[Any]):
    part = serializers.CharField()
    metric = serializers.CharField()
    mean = serializers.FloatField()
    sd = serializers.FloatField(allow_null=True, help_text="Null where there is one seed.")
    runs = serializers.IntegerField()


class LineSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    method = serializers.CharField()
    task = serializers.CharField()
    runs = serializers.ListField(child=serializers.IntegerField())
    seeds = serializers.ListField(child=serializers.IntegerField())
    figures = FigureSerializer(many=True)


class RunsView(ApiView):
    """Security: researchers of the study who may see runs; by POST those who may add some."""

    needs = {"GET": SEE, "POST": ADD}

    @extend_schema(
        operation_id="list_runs",
        summary="A study's model runs",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(RunSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        rows = Run.objects.filter(study=self.study).select_related("study", "release")
        return page_of(request, rows, RunSerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="create_runs",
        summary="Have a model learn from a release and answer its test rows; a run for each seed",
        tags=TAGS,
        request=NewRunSerializer,
        responses={201: RunSerializer(many=True)},
        examples=[EXAMPLE],
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(NewRunSerializer)
        release = self.found(Release.objects.filter(study=found), name=given["release"])
        with refusing(RunRefused, BadConfiguration, BadVariant):
            runs = create_runs(
                study=found,
                release=release,
                variant=Variant(given["task"], given["input"], given["partition"]),
                configuration=configuration_for(
                    task=given["task"],
                    method=given["method"],
                    preset_name=given["preset"],
                    settings=given["settings"],
                ),
                **{name: given[name] for name in ("seeds", "queue", "processes", "name")},
                user=self.user,
            )
        for run in runs:
            send_run(run.pk)
        return Response(RunSerializer(runs, many=True).data, status=201)


class CompareQuery(serializers.Serializer[Any]):
    task = serializers.ChoiceField(list(TASKS), required=False, help_text="Else all.")


class CompareRunsView(ApiView):
    """Security: as `RunsView`."""

    needs = {"GET": SEE}

    @extend_schema(
        operation_id="compare_runs",
        summary="The study's ended runs by what they did: mean and spread over the seeds",
        tags=TAGS,
        parameters=[CompareQuery],
        responses={200: LineSerializer(many=True)},
    )
    def get(self, request: Request, study: str) -> Response:
        asked = self.asked(CompareQuery)
        metrics, lines = compare(
            Run.objects.done().filter(study=self.study, **asked).order_by("pk")
        )
        return Response(
            [
                {
                    "name": line.first.name,
                    "method": line.first.method,
                    "task": line.first.task,
                    "runs": [run.pk for run in line.runs],
                    "seeds": line.seeds,
                    "figures": [
                        {"part": part, "metric": name, **figure}
                        for (part, name), figure in zip(metrics, line.figures(metrics), strict=True)
                        if figure
                    ],
                }
                for line in lines
            ]
        )


class OfRun(ApiView):
    """Security: researchers of the study who may see runs."""

    needs = {"GET": SEE}

    @property
    def run(self) -> Run:
        rows = Run.objects.filter(study=self.study).select_related("study", "release")
        return self.found(rows, pk=self.kwargs["run"])


class RunView(OfRun):
    @extend_schema(
        operation_id="get_run",
        summary="How far a run has come, and what came of it",
        tags=TAGS,
        responses={200: RunSerializer},
    )
    def get(self, request: Request, study: str, run: int) -> Response:
        return Response(RunSerializer(self.run).data)


class GenerationsView(OfRun):
    renderer_classes = (NdjsonRenderer,)

    @extend_schema(
        operation_id="stream_generations",
        summary="A run's outputs with their scores, one JSON object a line",
        tags=TAGS,
        responses={(200, NDJSON): str},
    )
    def get(self, request: Request, study: str, run: int) -> Any:
        found = self.run
        return stream_of(found.generations.all(), GenerationSerializer, f"{study}-run-{found.pk}")


class CancelRunView(OfRun):
    """Security: researchers of the study who may change runs."""

    needs = {"POST": CHANGE}

    @extend_schema(
        operation_id="cancel_run",
        summary="Ask a run to stop; it keeps a checkpoint. One that has ended stays as it is",
        tags=TAGS,
        request=None,
        responses={200: RunSerializer},
    )
    def post(self, request: Request, study: str, run: int) -> Response:
        found = self.run
        request_cancel(run=found)
        found.refresh_from_db()
        return Response(RunSerializer(found).data)


class ResumeRunView(OfRun):
    """Security: as `CancelRunView`."""

    needs = {"POST": CHANGE}

    @extend_schema(
        operation_id="resume_run",
        summary="Have a stopped or failed run go on from its last checkpoint",
        tags=TAGS,
        request=None,
        responses={200: RunSerializer},
    )
    def post(self, request: Request, study: str, run: int) -> Response:
        found = self.run
        with refusing(RunRefused):
            resume_run(run=found)
        send_run(found.pk)
        found.refresh_from_db()
        return Response(RunSerializer(found).data)
