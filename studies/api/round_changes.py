"""A round that is there already: paused, offered again, made larger, limited, closed."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studies import tasks
from studies.api.jobs import JOB, JobSerializer
from studies.api.launching import LARGEST, numbered_rounds
from studies.api.problems import Refused, refusing
from studies.api.rounds import ROUND, TAGS, OfRound, RoundSerializer, asking_about_budget
from studies.models import Job
from studies.services import limits, plans, rounds

F = TypeVar("F", bound=Callable[..., Any])


class ExtensionSerializer(serializers.Serializer[Any]):
    overlap = serializers.IntegerField(
        min_value=0, max_value=plans.MAX_OVERLAP, default=0, help_text="More workers a task."
    )
    stories = serializers.IntegerField(
        min_value=0, max_value=plans.MAX_SLOTS, default=0, help_text="More stories."
    )
    seen_wanted = serializers.IntegerField(
        min_value=0,
        max_value=LARGEST,
        required=False,
        help_text="How many responses the round wanted when you decided: extends once.",
    )
    above_budget = serializers.BooleanField(
        default=False, help_text="Needed where it costs more than what is left of the budget."
    )


class ChangedSerializer(serializers.Serializer[Any]):
    round = RoundSerializer()
    job = JobSerializer()


class LimitsSerializer(serializers.Serializer[Any]):
    """What is left out stays as it is."""

    worker_cap = serializers.IntegerField(
        min_value=1,
        max_value=plans.MAX_SLOTS,
        allow_null=True,
        required=False,
        help_text="The most tasks one worker may do; null for any number.",
    )
    apart_from = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST),
        max_length=100,
        required=False,
        help_text="Numbers of rounds with whose workers this one shares none; [] for no round.",
    )


class ChangeView(OfRound):
    """Security: researchers of the study who may change rounds."""

    needs = {"POST": ("studies.change_round",)}

    def change(self, service: Callable[..., Job], **how: Any) -> Response:
        round = self.round
        with refusing(plans.RoundRefused), asking_about_budget():
            job = tasks.wake(service(round=round, user=self.user, **how))
        round.refresh_from_db()
        return Response(ChangedSerializer({"round": round, "job": job}).data, status=202)


def _changes(name: str, summary: str, request: Any = None) -> Callable[[F], F]:
    return extend_schema(
        operation_id=name,
        summary=summary,
        tags=TAGS,
        request=request,
        responses={202: ChangedSerializer},
        examples=[
            OpenApiExample("Changed", value={"round": ROUND, "job": JOB}, response_only=True)
        ],
    )


class PauseView(ChangeView):
    @_changes("pause_round", "Hide the open slots; work in hand can be finished")
    def post(self, request: Request, study: str, number: int) -> Response:
        return self.change(rounds.pause_round)


class ResumeView(ChangeView):
    @_changes("resume_round", "Offer the open slots again, for a full lifetime")
    def post(self, request: Request, study: str, number: int) -> Response:
        return self.change(rounds.resume_round)


class CloseView(ChangeView):
    @_changes("close_round", "Expire what is not taken, for good")
    def post(self, request: Request, study: str, number: int) -> Response:
        return self.change(rounds.close_round)


class ExtendView(ChangeView):
    @_changes("extend_round", "Add workers to every task, or stories, or both", ExtensionSerializer)
    def post(self, request: Request, study: str, number: int) -> Response:
        return self.change(rounds.extend_round, **self.given(ExtensionSerializer))


class LimitView(ChangeView):
    @extend_schema(
        operation_id="limit_round",
        summary="How much one worker may do, and which rounds share no worker with it",
        tags=TAGS,
        request=LimitsSerializer,
        responses={200: RoundSerializer},
        examples=[
            OpenApiExample(
                "At most ten of one worker, nobody of round 1",
                value={"worker_cap": 10, "apart_from": [1]},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, study: str, number: int) -> Response:
        round, given = self.round, self.given(LimitsSerializer)
        if not given:
            raise Refused(_("Send worker_cap, apart_from or both."))
        apart = list(round.apart_from.all())
        if "apart_from" in given:
            apart = numbered_rounds(round.study, given["apart_from"])
        cap = given.get("worker_cap", round.worker_cap)
        with refusing(plans.RoundRefused):
            limits.limit_workers(round=round, worker_cap=cap, apart_from=apart)
        return Response(RoundSerializer(self.round).data)
