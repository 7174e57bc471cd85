"""What is decided on the payment of responses, and what workers answer to it."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Answer

from studies import tasks
from studies.api.base import ApiView
from studies.api.paging import LARGEST_ID, PageQuery, page_of, page_schema
from studies.api.problems import Refused
from studies.api.responses import ResponseSerializer, ResponseView
from studies.models import Assignment, Payment, PaymentKind, PaymentState, Response
from studies.services.payments import decide_payment
from studies.services.rejections import approve_after_all

TAGS = ["Payments"]
DECIDE = ("studies.view_response", "studies.add_payment")
MOST = 1000


class PaymentSerializer(serializers.ModelSerializer[Payment]):
    payment = serializers.IntegerField(source="pk")
    response = serializers.IntegerField(source="assignment.response.pk", default=None)
    participant = serializers.CharField(source="assignment.participant.pseudonym", default=None)
    decision = serializers.ChoiceField(PaymentKind.choices, source="kind")
    decided_by = serializers.CharField(source="decided_by.username", default=None)
    decided_at = serializers.DateTimeField(source="created_at")

    class Meta:
        model = Payment
        fields = (
            *("payment", "response", "participant", "decision", "reason", "answer"),
            *("answered_at", "overruled_at", "state", "decided_by", "decided_at", "confirmed_at"),
        )
        read_only_fields = fields


class PaymentQuery(PageQuery):
    decision = serializers.ChoiceField(PaymentKind.choices, required=False)
    state = serializers.ChoiceField(PaymentState.choices, required=False)
    answered = serializers.BooleanField(
        required=False, allow_null=True, default=None, help_text="Whether the worker answered."
    )


class ChosenSerializer(serializers.Serializer[Any]):
    responses = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        min_length=1,
        max_length=MOST,
        help_text="Their numbers.",
    )


class RejectionSerializer(ChosenSerializer):
    reason = serializers.CharField(max_length=1000, help_text="What the workers read.")


class DecidedSerializer(serializers.Serializer[Any]):
    decided = serializers.IntegerField()
    left = serializers.IntegerField(help_text="Decided before, or not confirmed: left as they are.")


class PaymentsView(ApiView):
    """Security: researchers of the study who may see payments."""

    needs = {"GET": ("studies.view_payment",)}

    @extend_schema(
        operation_id="list_payments",
        summary="Decisions on payment, and what workers answered",
        tags=TAGS,
        parameters=[PaymentQuery],
        responses={200: page_schema(PaymentSerializer)},
    )
    def get(self, request: Request, study: str) -> Answer:
        asked = self.asked(PaymentQuery)
        rounds = list(self.study.rounds.values_list("pk", flat=True))
        rows = Payment.objects.filter(assignment__task__round__in=rounds).select_related(
            "assignment__participant", "assignment__response", "decided_by"
        )
        places = {"decision": "kind", "state": "state"}
        rows = rows.filter(**{places[name]: asked[name] for name in places if name in asked})
        if asked["answered"] is not None:
            rows = rows.filter(answered_at__isnull=not asked["answered"])
        return page_of(request, rows, PaymentSerializer, asked)


class DecideView(ResponseView):
    """Security: researchers of the study who may see responses and add payments."""

    needs = {"POST": DECIDE}

    def decide(self, kind: PaymentKind, reader: type[ChosenSerializer]) -> Answer:
        rows, given = self.rows({}), self.given(reader)
        chosen = set(given["responses"])
        found = rows.filter(pk__in=chosen)
        assignments = list(Assignment.objects.filter(response__in=found))
        if len(assignments) < len(chosen):
            words = _("This study does not have all of these responses.")
            raise serializers.ValidationError({"responses": words})
        with transaction.atomic():
            reason = given.get("reason", "")
            new = decide_payment(assignments=assignments, kind=kind, reason=reason, user=self.user)
            tasks.send_on_commit(tasks.send_payments)
        return Answer({"decided": new, "left": len(chosen) - new})


class ApproveView(DecideView):
    @extend_schema(
        operation_id="approve_responses",
        summary="Pay for responses",
        tags=TAGS,
        request=ChosenSerializer,
        responses={200: DecidedSerializer},
        examples=[OpenApiExample("Two", value={"responses": [71, 72]}, request_only=True)],
    )
    def post(self, request: Request, study: str) -> Answer:
        return self.decide(PaymentKind.APPROVE, ChosenSerializer)


class RejectView(DecideView):
    @extend_schema(
        operation_id="reject_responses",
        summary="Do not pay for responses, for a reason that their workers read and can answer",
        tags=TAGS,
        request=RejectionSerializer,
        responses={200: DecidedSerializer},
        examples=[
            OpenApiExample(
                "One",
                value={"responses": [73], "reason": "All sentences are the same word."},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, study: str) -> Answer:
        return self.decide(PaymentKind.REJECT, RejectionSerializer)


class ApproveAfterAllView(ResponseView):
    """Security: as a decision."""

    needs = {"POST": DECIDE}

    @extend_schema(
        operation_id="approve_after_all",
        summary="Take a rejection back and pay, within 30 days of the submit",
        tags=TAGS,
        request=None,
        responses={200: ResponseSerializer},
    )
    def post(self, request: Request, study: str, response_id: int) -> Answer:
        response: Response = self.found(self.rows({}), pk=response_id)
        with transaction.atomic():
            wished = approve_after_all(assignment=response.assignment, user=self.user)
            tasks.send_on_commit(tasks.send_payments)
        if not wished:
            raise Refused(_("This was left as it is: it is no rejection, or its 30 days are over."))
        return Answer(ResponseSerializer(response).data)
