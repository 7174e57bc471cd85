"""The one address that requesters' clients talk to."""

import logging
from datetime import datetime

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from marketplace.errors import Refused
from marketplace.protocol.errors import (
    NotUnderstood,
    ProtocolError,
    RequestError,
    ServiceFault,
    UnknownOperation,
)
from marketplace.protocol.model import OPERATION_NAMES, TARGET_PREFIX, operation_model
from marketplace.protocol.registry import Call, handler_for
from marketplace.protocol.serialization import answer_json
from marketplace.protocol.signature import SignedRequest, authenticate
from marketplace.protocol.validation import checked_input, read_body
from marketplace.tasks import deliver_soon

CONTENT_TYPE = "application/x-amz-json-1.1"
logger = logging.getLogger(__name__)


@csrf_exempt
@require_POST
def endpoint(request: HttpRequest) -> HttpResponse:
    """Answer one call of the MTurk Requester protocol.

    Security: the request must carry a Signature Version 4 by an active key of a requester, who
    then sees and changes only their own; anything else gets the protocol's error. Cookies are not
    looked at.
    """
    try:
        answer = respond(request, at=timezone.now())
    except ProtocolError as error:
        return _refusal(error)
    except DatabaseError:
        logger.exception("A call of the requester protocol failed")
        return _refusal(ServiceFault())
    return JsonResponse(answer, content_type=CONTENT_TYPE)


@csrf_exempt
def home(request: HttpRequest) -> HttpResponse:
    """To the worker site; a client of the protocol that has only the host is told its address.

    Security: everybody; nothing is looked up or changed.
    """
    if "X-Amz-Target" not in request.headers:
        return redirect("worker-list")
    address = request.build_absolute_uri(reverse("mturk"))
    return _refusal(UnknownOperation(f"The endpoint of this marketplace is {address}."))


def _refusal(error: ProtocolError) -> HttpResponse:
    return JsonResponse(error.body(), status=error.status, content_type=CONTENT_TYPE)


def respond(request: HttpRequest, *, at: datetime) -> dict[str, object]:
    signed = _signed_request(request)
    requester = authenticate(signed, at=at)
    name = _operation_name(signed)
    handler = handler_for(name)
    model = operation_model(name)
    parameters = checked_input(model, read_body(signed.body))
    with transaction.atomic():
        try:
            answer = handler(Call(requester, name, parameters, at))
        except Refused as refusal:
            raise RequestError(refusal.message, refusal.code) from refusal
        if not name.startswith(("Get", "List")):
            deliver_soon()
    return answer_json(model, answer)


def _signed_request(request: HttpRequest) -> SignedRequest:
    try:
        body = request.body
    except RequestDataTooBig as error:
        raise NotUnderstood("The body is too large.") from error
    return SignedRequest(
        method=request.method or "",
        # The path as sent where the server tells it (gunicorn does).
        raw_path=request.META.get("RAW_URI") or request.get_full_path(),
        headers={name.lower(): value for name, value in request.headers.items()},
        body=body,
    )


def _operation_name(signed: SignedRequest) -> str:
    if signed.headers.get("content-type", "").partition(";")[0].strip().lower() != CONTENT_TYPE:
        raise NotUnderstood(f"The content type must be {CONTENT_TYPE}.")
    prefix, _, name = signed.headers.get("x-amz-target", "").partition(".")
    if prefix != TARGET_PREFIX or name not in OPERATION_NAMES:
        raise UnknownOperation(f"X-Amz-Target must be {TARGET_PREFIX} and an operation's name.")
    return name
