"""The address that a HIT's frame opens, with parameters that the requester can verify.

`fabulaSignature` is "<deadline>.<mac>": the deadline in whole seconds since the epoch and the hex
HMAC-SHA256, under the requester's signing secret, of the other parameters with the deadline.
"""

import hashlib
import hmac
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings

from marketplace.models import HIT, Assignment
from marketplace.questions import ExternalQuestion, read_question

NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE"


def submit_origin() -> str:
    return str(settings.WORKER_SITE_URL)


def frame_of(assignment: Assignment) -> ExternalQuestion:
    """The frame in which the worker does the accepted HIT."""
    parameters = {
        "assignmentId": assignment.assignment_id,
        "hitId": assignment.hit.hit_id,
        "workerId": assignment.worker.worker_id,
        "turkSubmitTo": submit_origin(),
    }
    question = read_question(assignment.hit.question)
    return _with(question, parameters | {"fabulaSignature": signature_of(assignment)})


def preview_of(hit: HIT) -> ExternalQuestion:
    """The frame for someone who only looks: no worker, nothing to sign."""
    return _with(
        read_question(hit.question),
        {"assignmentId": NO_ASSIGNMENT, "hitId": hit.hit_id, "turkSubmitTo": submit_origin()},
    )


def signature_of(assignment: Assignment) -> str:
    deadline = str(int(assignment.deadline.timestamp()))
    signed = {
        "assignmentId": assignment.assignment_id,
        "deadline": deadline,
        "hitId": assignment.hit.hit_id,
        "turkSubmitTo": submit_origin(),
        "workerId": assignment.worker.worker_id,
    }
    secret = assignment.hit.requester.signing_secret
    mac = hmac.new(secret.encode(), urlencode(sorted(signed.items())).encode(), hashlib.sha256)
    return f"{deadline}.{mac.hexdigest()}"


def is_signed(assignment: Assignment, signature: str) -> bool:
    return hmac.compare_digest(signature_of(assignment).encode(), signature.encode())


def _with(question: ExternalQuestion, parameters: dict[str, str]) -> ExternalQuestion:
    parts = urlsplit(question.url)
    query = "&".join(filter(None, [parts.query, urlencode(parameters)]))
    return ExternalQuestion(urlunsplit(parts._replace(query=query)), question.frame_height)
