import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
import time_machine
from botocore.exceptions import ClientError
from django.utils import timezone

from marketplace import limits
from marketplace.models import AccessKey, Assignment, HITType, Notification, NotificationDestination
from marketplace.outgoing import is_public
from marketplace.services.assignments import return_assignment
from marketplace.services.delivery import deliver_due, wait_after
from marketplace.services.reviews import reject_assignment, reply_to_rejection
from marketplace.services.timekeeping import keep_time
from tests.marketplace.factories import make_accepted, make_hit, make_hit_type, make_submitted

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

ALL_EVENTS: list[Any] = [
    "AssignmentAccepted",
    "AssignmentAbandoned",
    "AssignmentReturned",
    "AssignmentSubmitted",
    "AssignmentRejected",
    "AssignmentApproved",
    "HITCreated",
    "HITExpired",
    "HITReviewable",
    "HITExtended",
    "HITDisposed",
]


class Receiver(ThreadingHTTPServer):
    """An address to be told things; answers with what the test wants."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Recording)
        self.posts: list[tuple[dict[str, str], bytes]] = []
        self.refused: list[tuple[dict[str, str], bytes]] = []
        self.status = 200
        self.refused_event = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/told?key=1"

    @property
    def events(self) -> list[dict[str, str]]:
        """Those of the accepted posts."""
        return [event for document in self.documents for event in document["Events"]]

    @property
    def documents(self) -> list[dict[str, Any]]:
        """Those of the accepted posts."""
        return [json.loads(body) for _, body in self.posts]


class Recording(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        refused = self.server.refused_event
        status = 500 if refused and refused in body.decode() else self.server.status
        taken = self.server.posts if status == 200 else self.server.refused
        taken.append((dict(self.headers), body))
        self.send_response(status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def specification(url: str, **changes: Any) -> Any:
    return {
        "Destination": url,
        "Transport": "SNS",
        "Version": "2014-08-15",
        "EventTypes": ALL_EVENTS,
    } | changes


@pytest.fixture
def hit_type(mturk: "MTurkClient", key: AccessKey, receiver: Receiver) -> HITType:
    made = make_hit_type(key.requester)
    mturk.update_notification_settings(
        HITTypeId=made.hit_type_id, Notification=specification(receiver.url), Active=True
    )
    return made


def later(**time: float) -> Any:
    return time_machine.travel(timezone.now() + timedelta(**time), tick=True)


def test_events_arrive_in_order_in_one_signed_post(
    hit_type: HITType, receiver: Receiver, key: AccessKey
) -> None:
    hit = make_hit(hit_type)
    first = make_accepted(hit_type)
    return_assignment(assignment=first)
    second = make_submitted(hit_type)

    assert deliver_due() == 6

    ((headers, body),) = receiver.posts
    mac = hmac.new(key.requester.signing_secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Fabula-Signature"] == f"sha256={mac}"
    assert headers["Content-Type"] == "application/json"
    document = json.loads(body)
    assert document["CustomerId"] == document["SourceAccount"] == key.requester.requester_id
    assert document["EventDocVersion"] == "2014-08-15"
    assert [event["EventType"] for event in receiver.events] == [
        "HITCreated",
        "AssignmentAccepted",
        "AssignmentReturned",
        "AssignmentAccepted",
        "AssignmentSubmitted",
        "HITReviewable",
    ]
    last = receiver.events[-2]
    assert last.pop("EventTimestamp").endswith("Z")
    assert last == {
        "EventType": "AssignmentSubmitted",
        "HITTypeId": hit_type.hit_type_id,
        "HITId": hit.hit_id,
        "AssignmentId": second.assignment_id,
        "WorkerId": second.worker.worker_id,
    }


def test_a_return_is_told_before_what_becomes_of_the_hit(
    mturk: "MTurkClient", hit_type: HITType, receiver: Receiver
) -> None:
    hit = make_hit(hit_type)
    accepted = make_accepted(hit_type)
    mturk.update_expiration_for_hit(HITId=hit.hit_id, ExpireAt=timezone.now() - timedelta(days=1))
    return_assignment(assignment=accepted)

    deliver_due()

    told = [event["EventType"] for event in receiver.events]
    assert told[-3:] == ["HITExpired", "AssignmentReturned", "HITReviewable"]


def test_every_event_of_a_hits_life_is_told(
    mturk: "MTurkClient", hit_type: HITType, receiver: Receiver
) -> None:
    hit = make_hit(hit_type, max_assignments=2)
    for decide in (mturk.approve_assignment, mturk.reject_assignment):
        done = make_submitted(hit_type)
        decide(AssignmentId=done.assignment_id, RequesterFeedback="Read.")
    mturk.create_additional_assignments_for_hit(HITId=hit.hit_id, NumberOfAdditionalAssignments=1)
    return_assignment(assignment=make_accepted(hit_type))
    make_accepted(hit_type)
    keep_time(at=timezone.now() + timedelta(hours=25))
    mturk.delete_hit(HITId=hit.hit_id)

    with later(hours=25):
        deliver_due()

    assert {event["EventType"] for event in receiver.events} == set(ALL_EVENTS)


def rejected_and_answered(hit_type: HITType) -> Assignment:
    make_hit(hit_type)
    done = make_submitted(hit_type)
    reject_assignment(assignment=done, feedback="Copied.", at=timezone.now())
    return reply_to_rejection(assignment=done, text="It is mine. “Truly”.", at=timezone.now())


def test_the_answer_to_a_rejection_is_told_with_its_text_to_whoever_hears_of_rejections(
    mturk: "MTurkClient", hit_type: HITType, receiver: Receiver
) -> None:
    def ask(*events: str) -> None:
        mturk.update_notification_settings(
            HITTypeId=hit_type.hit_type_id,
            Notification=specification(receiver.url, EventTypes=list(events)),
        )

    ask("AssignmentReturned", "AssignmentApproved")
    rejected_and_answered(hit_type)
    ask("AssignmentRejected")
    answered = rejected_and_answered(hit_type)
    deliver_due()

    rejected, told = receiver.events
    assert rejected["EventType"] == "AssignmentRejected"
    assert told.pop("EventTimestamp").endswith("Z")
    assert told == {
        "EventType": "RejectionAnswered",
        "HITTypeId": hit_type.hit_type_id,
        "HITId": answered.hit.hit_id,
        "AssignmentId": answered.assignment_id,
        "WorkerId": answered.worker.worker_id,
        "FabulaReply": "It is mine. “Truly”.",
    }


def test_an_event_that_mturk_does_not_have_cannot_be_asked_for(
    mturk: "MTurkClient", hit_type: HITType, receiver: Receiver
) -> None:
    wanted = specification(receiver.url, EventTypes=["RejectionAnswered"])

    with pytest.raises(ClientError, match="ValidationException.*enum value set: "):
        mturk.update_notification_settings(HITTypeId=hit_type.hit_type_id, Notification=wanted)


def test_only_the_events_asked_for_are_told_and_only_while_active(
    mturk: "MTurkClient", hit_type: HITType, receiver: Receiver
) -> None:
    def ask(**fields: Any) -> None:
        mturk.update_notification_settings(HITTypeId=hit_type.hit_type_id, **fields)

    ask(Notification=specification(receiver.url, EventTypes=["AssignmentReturned"]))
    make_hit(hit_type)
    return_assignment(assignment=make_accepted(hit_type))
    ask(Active=False)
    return_assignment(assignment=make_accepted(hit_type))
    ask(Active=True)
    return_assignment(assignment=make_accepted(hit_type))

    deliver_due()

    assert [e["EventType"] for e in receiver.events] == ["AssignmentReturned"] * 2


def test_what_is_refused_is_sent_again_later_and_again(
    hit_type: HITType, receiver: Receiver
) -> None:
    make_hit(hit_type)
    receiver.status = 503

    assert deliver_due() == 0
    waiting = Notification.objects.get()
    assert (waiting.attempts, waiting.delivered_at) == (1, None)
    assert waiting.last_error == "127.0.0.1 answered with status 503."
    assert deliver_due() == 0

    receiver.status = 200
    with later(seconds=6):
        assert deliver_due() == 1
    assert len(receiver.events) == 1
    assert Notification.objects.get().last_error == ""


def test_a_repeat_is_the_first_attempt_again_and_what_is_new_goes_apart(
    hit_type: HITType, receiver: Receiver
) -> None:
    make_hit(hit_type)
    receiver.status = 503
    deliver_due()
    make_accepted(hit_type)
    receiver.status = 200

    with later(seconds=6):
        deliver_due()

    ((_, first_attempt),) = receiver.refused
    created, accepted = receiver.documents
    assert created == json.loads(first_attempt)
    assert len(created["EventDocId"]) == 30
    assert created["EventDocId"] != accepted["EventDocId"]


def test_a_redirect_is_no_delivery(hit_type: HITType, receiver: Receiver) -> None:
    make_hit(hit_type)
    receiver.status = 302

    assert deliver_due() == 0
    assert "302" in Notification.objects.get().last_error


def test_one_event_that_the_other_side_cannot_take_does_not_hold_up_the_rest(
    hit_type: HITType, receiver: Receiver
) -> None:
    make_hit(hit_type)
    make_submitted(hit_type)
    receiver.refused_event = "HITReviewable"

    assert deliver_due() == 3

    assert Notification.objects.get(delivered_at=None).event == "HITReviewable"


def test_a_destination_that_cannot_be_reached_rests_longer_each_time(
    mturk: "MTurkClient", key: AccessKey
) -> None:
    nobody = "http://127.0.0.1:9/"
    for _ in range(2):
        mturk.send_test_event_notification(Notification=specification(nobody), TestEventType="Ping")

    assert deliver_due() == 0
    with later(seconds=6):
        assert deliver_due() == 0

    destination = NotificationDestination.objects.get()
    assert destination.failures == 2
    assert destination.last_error.startswith("No answer from 127.0.0.1")
    assert destination.next_attempt_at > timezone.now() + timedelta(seconds=10)
    waits = [wait_after(failures) for failures in (1, 2, 3, 50)]
    assert waits == [
        timedelta(seconds=5),
        timedelta(seconds=10),
        timedelta(seconds=20),
        timedelta(minutes=30),
    ]


def test_after_a_day_an_event_is_given_up(hit_type: HITType, receiver: Receiver) -> None:
    make_hit(hit_type)
    receiver.status = 500
    deliver_due()

    with later(hours=24, minutes=1):
        deliver_due()

    given_up = Notification.objects.get()
    assert given_up.given_up_at is not None
    with later(hours=25):
        receiver.status = 200
        assert deliver_due() == 0


def test_a_destination_that_someone_else_is_posting_to_is_left_alone(
    hit_type: HITType, receiver: Receiver
) -> None:
    make_hit(hit_type)
    NotificationDestination.objects.update(next_attempt_at=timezone.now() + timedelta(minutes=2))

    assert deliver_due() == 0


def test_a_test_event_is_sent_whatever_the_settings_say(
    mturk: "MTurkClient", receiver: Receiver
) -> None:
    mturk.send_test_event_notification(
        Notification=specification(receiver.url, EventTypes=["HITCreated"]), TestEventType="Ping"
    )

    assert deliver_due() == 1
    assert receiver.events[0]["EventType"] == "Ping"


@pytest.mark.parametrize("version", ["2006-05-05", "2014-08-15"])
def test_a_message_says_the_version_that_was_asked_for(
    mturk: "MTurkClient", hit_type: HITType, receiver: Receiver, version: str
) -> None:
    asked = specification(receiver.url, Version=version)
    mturk.update_notification_settings(HITTypeId=hit_type.hit_type_id, Notification=asked)
    make_hit(hit_type)
    mturk.send_test_event_notification(Notification=asked, TestEventType="AssignmentSubmitted")

    deliver_due()

    assert {document["EventDocVersion"] for document in receiver.documents} == {version}
    assert len(receiver.events) == 2
    assert not any("FabulaReply" in event for event in receiver.events)


def test_a_test_event_has_the_members_of_a_real_one(
    mturk: "MTurkClient", receiver: Receiver
) -> None:
    kinds: tuple[Any, ...] = ("AssignmentSubmitted", "HITReviewable")
    for kind in kinds:
        mturk.send_test_event_notification(
            Notification=specification(receiver.url), TestEventType=kind
        )

    deliver_due()

    of_assignment, of_hit = receiver.events
    assert {len(of_assignment[name]) for name in ("HITTypeId", "HITId", "AssignmentId")} == {30}
    assert re.fullmatch("A[0-9A-Z]{13}", of_assignment["WorkerId"])
    assert {len(of_hit[name]) for name in ("HITTypeId", "HITId")} == {30}
    assert not {"AssignmentId", "WorkerId"} & of_hit.keys()


def test_an_address_on_a_private_network_gets_nothing_unless_allowed(
    mturk: "MTurkClient", receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    mturk.send_test_event_notification(
        Notification=specification(receiver.url), TestEventType="Ping"
    )
    monkeypatch.setattr(limits, "PRIVATE_NOTIFICATION_HOSTS", frozenset({"localhost"}))

    assert deliver_due() == 0

    assert receiver.posts == []
    assert "private network" in Notification.objects.get().last_error


@pytest.mark.parametrize(
    "change",
    [
        {"Destination": "arn:aws:sns:us-east-1:1:topic"},
        {"Destination": "ftp://example.org/"},
        {"Destination": "http://"},
        {"Destination": "http://[::1"},
        {"Destination": "http://example.org:99999/"},
        {"Destination": "http://example.org/a\r\nX: y"},
        {"Version": "2006-08-15"},
        {"Version": "latest"},
        {"Transport": "Email"},
        {"Transport": "Pigeon"},
        {"EventTypes": []},
        {"EventTypes": ["Ping"]},
        {"EventTypes": ["Nothing"]},
    ],
)
def test_a_specification_that_cannot_work_is_refused(
    mturk: "MTurkClient", key: AccessKey, change: dict[str, Any]
) -> None:
    hit_type = make_hit_type(key.requester)

    with pytest.raises(ClientError, match="ParameterValidationError|ValidationException"):
        mturk.update_notification_settings(
            HITTypeId=hit_type.hit_type_id,
            Notification=specification("http://example.org/", **change),
        )


@pytest.mark.parametrize(
    ("destination", "named"),
    [
        ("http://127.0.0.1:9/", "private network"),
        ("http://127.1/", "private network"),
        ("http://2130706433/", "private network"),
        ("https://10.0.0.7/told", "private network"),
        ("http://[::1]/", "private network"),
        ("http://[::ffff:10.0.0.7]/", "private network"),
        ("http://tasks.localhost/", "private network"),
        ("https://sqs.us-east-1.amazonaws.com/123456789012/told", "SQS queue"),
        ("https://us-east-1.queue.amazonaws.com/123456789012/told", "SQS queue"),
    ],
)
def test_a_destination_that_can_never_be_reached_is_refused_at_once(
    mturk: "MTurkClient",
    key: AccessKey,
    monkeypatch: pytest.MonkeyPatch,
    destination: str,
    named: str,
) -> None:
    monkeypatch.setattr(limits, "PRIVATE_NOTIFICATION_HOSTS", frozenset({"localhost"}))
    hit_type = make_hit_type(key.requester)
    asked = specification(destination)

    with pytest.raises(ClientError, match=f"ParameterValidationError.*{named}"):
        mturk.update_notification_settings(HITTypeId=hit_type.hit_type_id, Notification=asked)
    with pytest.raises(ClientError, match=f"ParameterValidationError.*{named}"):
        mturk.send_test_event_notification(Notification=asked, TestEventType="Ping")

    assert not NotificationDestination.objects.exists()


@pytest.mark.parametrize(
    "destination",
    ["http://localhost:9/", "https://93.184.215.14/", "https://name-that-nobody-has.invalid/"],
)
def test_a_destination_that_may_be_reached_is_taken(
    mturk: "MTurkClient", monkeypatch: pytest.MonkeyPatch, destination: str
) -> None:
    monkeypatch.setattr(limits, "PRIVATE_NOTIFICATION_HOSTS", frozenset({"localhost"}))

    mturk.send_test_event_notification(
        Notification=specification(destination), TestEventType="Ping"
    )

    assert NotificationDestination.objects.get().url == destination


def test_there_must_be_settings_to_switch(mturk: "MTurkClient", key: AccessKey) -> None:
    hit_type = make_hit_type(key.requester)

    with pytest.raises(mturk.exceptions.RequestError):
        mturk.update_notification_settings(HITTypeId=hit_type.hit_type_id, Active=True)
    with pytest.raises(ClientError, match="Notification or Active is required"):
        mturk.update_notification_settings(HITTypeId=hit_type.hit_type_id)


@pytest.mark.django_db(transaction=True)
def test_a_call_that_makes_an_event_delivers_it_at_once(
    mturk: "MTurkClient", receiver: Receiver
) -> None:
    mturk.send_test_event_notification(
        Notification=specification(receiver.url), TestEventType="Ping"
    )

    assert [event["EventType"] for event in receiver.events] == ["Ping"]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2001:0:0:0:0:0:80ff:fffe",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
        "ff02::1",
    ],
)
def test_no_spelling_of_a_private_address_passes_for_a_public_one(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f::1", "64:ff9b::5db8:d70e", "::ffff:93.184.215.14"]
)
def test_a_public_address_is_one_in_every_spelling(address: str) -> None:
    assert is_public(address)
