"""An expert's own queue: what is before them, what they say of it, what they leave for later."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.reading import (
    TAGS,
    VERDICTS,
    ReviewerView,
    TurnSerializer,
    VerdictSerializer,
    judging,
)
from annotation.models import ReviewPlan
from annotation.review import deciding, queue
from studies import task_types
from studies.access import visible_studies
from studies.api.paging import PageQuery, page_of, page_schema
from studies.api.problems import Refused
from studies.models import Study


class DeskSerializer(serializers.Serializer[Any]):
    study = serializers.CharField(source="slug")
    title = serializers.CharField()
    done = serializers.IntegerField(source="progress.done", help_text="Verdicts you gave.")
    left = serializers.IntegerField(source="progress.left", help_text="What you could still judge.")
    put_off = serializers.IntegerField(source="progress.put_off")


class ChoiceSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    definition = serializers.CharField()


class ReasonSerializer(ChoiceSerializer):
    steps = serializers.ListField(child=serializers.IntegerField())


class FormSerializer(serializers.Serializer[Any]):
    """What can be said of the contributions of a task type."""

    steps = serializers.DictField(child=serializers.CharField(), help_text="By their number.")
    grades = ChoiceSerializer(many=True)
    reasons = ReasonSerializer(many=True)


class DesksView(ReviewerView):
    @extend_schema(
        operation_id="list_desks",
        summary="The studies you review, and how far you are",
        tags=TAGS,
        responses={200: DeskSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        plans = ReviewPlan.objects.filter(study__in=visible_studies(self.user))
        studies = [plan.study for plan in plans.select_related("study").order_by("study__slug")]
        return Response([self.desk(study) for study in studies])

    def desk(self, study: Study) -> dict[str, Any]:
        progress = queue.progress(reviewer=self.user, study=study)
        desk = {"slug": study.slug, "title": study.title, "progress": progress}
        return dict(DeskSerializer(desk).data)


class FormView(ReviewerView):
    @extend_schema(
        operation_id="get_review_form",
        summary="Steps, grades and reasons, with their definitions",
        tags=TAGS,
        responses={200: FormSerializer},
    )
    def get(self, request: Request, task_type: str) -> Response:
        form = next((t.review for t in task_types.all_types() if t.slug == task_type), None)
        if form is None:
            raise NotFound(_("There is no such task type, or it is not reviewed."))
        return Response(FormSerializer(form).data)


class NextView(ReviewerView):
    @extend_schema(
        operation_id="take_turn",
        summary="What you judge next; sent again, the same one until you judged it or put it off",
        tags=TAGS,
        request=None,
        responses={200: TurnSerializer, 204: None},
    )
    def post(self, request: Request, study: str) -> Response:
        turn = queue.next_turn(reviewer=self.user, study=self.study)
        return Response(status=204) if turn is None else Response(TurnSerializer(turn).data)


class PutOffView(ReviewerView):
    @extend_schema(
        operation_id="list_put_off",
        summary="What you left for later",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(TurnSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        rows = queue.put_off_turns(self.user, self.study)
        return page_of(request, rows, TurnSerializer, self.asked(PageQuery))


class TurnView(ReviewerView):
    @extend_schema(
        operation_id="get_turn",
        summary="One of your turns",
        tags=TAGS,
        responses={200: TurnSerializer},
    )
    def get(self, request: Request, turn: int) -> Response:
        return Response(TurnSerializer(self.turn).data)


class JudgeView(ReviewerView):
    @extend_schema(
        operation_id="give_verdict",
        summary="Say what it is; said again otherwise, the new verdict takes the old one's place",
        tags=TAGS,
        request=VerdictSerializer,
        responses={200: TurnSerializer},
        examples=VERDICTS,
    )
    def post(self, request: Request, turn: int) -> Response:
        found, said = self.turn, self.said()
        with judging():
            deciding.record_verdict(turn=found, **said)
        return self.now()

    def now(self) -> Response:
        return Response(TurnSerializer(self.turn).data)


class UndoView(JudgeView):
    @extend_schema(
        operation_id="undo_verdict",
        summary="Take your verdict back: the turn is open again",
        tags=TAGS,
        request=None,
        responses={200: TurnSerializer},
    )
    def post(self, request: Request, turn: int) -> Response:
        judged = self.turn.contribution
        if deciding.current_verdict(reviewer=self.user, contribution=judged) is None:
            raise Refused(_("There was no verdict to take back."))
        with judging():
            deciding.undo_verdict(reviewer=self.user, contribution=judged)
        return self.now()


class LaterView(JudgeView):
    @extend_schema(
        operation_id="put_off_turn",
        summary="Leave it for later",
        tags=TAGS,
        request=None,
        responses={200: TurnSerializer},
    )
    def post(self, request: Request, turn: int) -> Response:
        found = self.turn
        if found.done_at is not None:
            raise Refused(_("You judged that one already, so it was not put off."))
        queue.put_off(turn=found)
        return self.now()
