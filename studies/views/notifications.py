import hashlib
import hmac
import json

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from studies.services import settlement
from studies.tasks import confirm_response, send_on_commit


@csrf_exempt
@require_POST
def receive_notification(request: HttpRequest) -> HttpResponse:
    """What happened to assignments, as the marketplace's notification JSON.

    Each event is safe to receive twice and in any order. Security: the body is signed with the
    requester's signing secret (X-Fabula-Signature); else 403.
    """
    secret = settings.MTURK_SIGNING_SECRET.encode()
    expected = "sha256=" + hmac.new(secret, request.body, hashlib.sha256).hexdigest()
    given = request.headers.get("X-Fabula-Signature", "")
    if not secret or not hmac.compare_digest(given.encode(), expected.encode()):
        return HttpResponse("The signature does not fit.", status=403, content_type="text/plain")
    try:
        events = list(json.loads(request.body)["Events"])
        if not all(isinstance(event, dict) for event in events):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        return HttpResponse("There are no events.", status=400, content_type="text/plain")
    for event in events:
        assignment_id = settlement.receive_event(event)
        if assignment_id is not None:
            send_on_commit(confirm_response, assignment_id)
    return HttpResponse(status=204)
