"""Requests beyond the plain address of a route: the states that its page can be in."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Instrument
from studies.frames import Token, make_token
from studies.models import Assignment, AssignmentState, Participant, Response, Round
from studies.services.recording import decide_recording
from studies.services.submission import give_consent
from tests.everywhere.world import World
from tests.marketplace.factories import make_accepted, make_hit, make_worker
from tests.studies.factories import (
    answers_for,
    free_slot,
    make_frame,
    make_participant,
    make_round,
)
from tests.studies.frames import query_of

ORIGIN = "http://localhost:8000"


@dataclass(frozen=True)
class Request:
    address: str
    method: str = "GET"
    data: dict[str, Any] = field(default_factory=dict)


def requests_of(name: str, world: World, model: type[Model] | None) -> list[Request]:
    if model is not None and name.endswith("_changelist"):
        return _list_states(name, model)
    return STATES[name](world) if name in STATES else []


def _list_states(name: str, model: type[Model]) -> list[Request]:
    address = reverse(f"admin:{name}")
    chosen = [str(model._default_manager.values_list("pk", flat=True)[0])]
    actions = ["delete_selected"] + (["reject"] if name == "studies_response_changelist" else [])
    return [Request(f"{address}?q=nothing+of+this+name")] + [
        Request(address, "POST", {"action": action, "_selected_action": chosen})
        for action in actions
    ]


# --- The task's pages ----------------------------------------------------------------------------
def _task(world: World) -> list[Request]:
    round = world.round
    newcomer = make_frame(free_slot(round), worker_id="NEWCOMER")
    late = make_frame(
        free_slot(round), worker_id="LATE", deadline=timezone.now() - timedelta(minutes=1)
    )
    _ready(round, "LATE")
    forged = query_of(newcomer) | {"workerId": "ANOTHER"}
    undecided = make_participant(round, "UNDECIDED")
    give_consent(participant=undecided)
    asked = make_frame(free_slot(round), worker_id="UNDECIDED")
    working = make_frame(free_slot(round), worker_id="WORKING")
    _ready(round, "WORKING")
    small = make_round(round.study, overlap=1, stories=1)
    small.tasks.update(taken=1)
    _ready(small, "WORKING")
    too_late = make_frame(free_slot(small), worker_id="WORKING")
    opened = [query_of(frame) for frame in (newcomer, late, asked, working)]
    return [
        *(Request(f"{reverse('task', args=[round.public_id])}?{urlencode(q)}") for q in opened),
        Request(f"{reverse('task', args=[round.public_id])}?{urlencode(forged)}"),
        Request(f"{reverse('task', args=[small.public_id])}?{urlencode(query_of(too_late))}"),
    ]


def _consent(world: World) -> list[Request]:
    frame = make_frame(free_slot(world.round), worker_id="NEWCOMER")
    address = reverse("task-consent", args=[world.round.public_id])
    return [Request(f"{address}?{urlencode(query_of(frame))}", "POST")]


def _ready(round: Round, worker_id: str) -> Participant:
    participant = make_participant(round, worker_id)
    give_consent(participant=participant)
    decide_recording(participant=participant, agreed=True)
    return participant


def _working(world: World) -> Assignment:
    """Being worked on, with a draft."""
    participant = _ready(world.round, "TYPING")
    free = world.round.tasks.filter(taken=0).first() or world.round.tasks.all()[0]
    found, _made = Assignment.objects.get_or_create(
        task=free,
        participant=participant,
        defaults={
            "slot": free_slot(world.round),
            "marketplace_id": "3TYPING",
            "accepted_at": timezone.now(),
            "deadline": timezone.now() + timedelta(minutes=30),
            "draft": {"fields": {"assertion": world.text}},
            "draft_saved_at": timezone.now(),
            "evidence": {"note": world.text},
        },
    )
    return found


def _token(assignment: Assignment) -> str:
    assert assignment.participant is not None
    worker_id = assignment.participant.worker.marketplace_id
    return make_token(Token(worker_id, assignment.pk, ORIGIN))


def _recording(world: World) -> list[Request]:
    token = _token(_working(world))
    address = reverse("task-recording")
    return [Request(f"{address}?{urlencode({'token': token})}")]


def _submit(world: World) -> list[Request]:
    assignment = _working(world)
    good = answers_for(assignment.task.payload) | {
        f"revision_{number}": f"{world.text} {number}?" for number in range(1, 6)
    }
    fields = [
        {"assertion": world.text, "changed_assertion": world.text},
        good | {"assertion": "Mira walks. She sings."},
        good | {"confirmed_cautions": "assertion:looks_like_action"},
    ]
    sent = [{"token": _token(assignment), "process_note": world.text, **more} for more in fields]
    return [Request(reverse("task-submit"), "POST", data) for data in sent]


def _send(world: World) -> list[Request]:
    """A response in each state, in time and too late; an assignment that was given up."""
    for response in Response.objects.filter(assignment__task__round=world.round):
        if response.state == "submitted":
            Assignment.objects.filter(pk=response.assignment_id).update(
                deadline=timezone.now() + timedelta(minutes=9)
            )
    kept = list(Assignment.objects.filter(task__round=world.round, participant__isnull=False))
    given_up = _ready(world.round, "GAVEUP")
    task = world.round.tasks.all()[0]
    kept.append(
        Assignment.objects.create(
            task=task,
            participant=given_up,
            marketplace_id="3GAVEUP",
            state=AssignmentState.RETURNED,
            accepted_at=timezone.now(),
            draft={"fields": {"assertion": world.text}},
        )
    )
    address = reverse("task-send")
    tokens = [_token(assignment) for assignment in kept]
    return [Request(f"{address}?{urlencode({'token': token})}") for token in tokens]


def _external_submit(world: World) -> list[Request]:
    make_hit(world.hit_type)
    accepted = make_accepted(world.hit_type, make_worker(display_name=world.text))
    known = [accepted, *world.worker.assignments.all()]
    ids = [assignment.assignment_id for assignment in known] + ["ASSIGNMENT_ID_NOT_AVAILABLE"]
    address = reverse("external-submit")
    return [Request(address, "POST", {"assignmentId": id, "answer": world.text}) for id in ids]


# --- The worker site -----------------------------------------------------------------------------
def _queries(name: str, *queries: str) -> Callable[[World], list[Request]]:
    return lambda world: [Request(f"{reverse(name)}?{query}") for query in queries]


def _account_errors(world: World) -> list[Request]:
    wrong = {"username": "a b", "current_password": "no", "password": "1", "password_again": "2"}
    return [Request(reverse("worker-set-password"), "POST", wrong)]


def _name_error(world: World) -> list[Request]:
    return [Request(reverse("worker-rename"), "POST", {"display_name": "x" * 90})]


def _answers(world: World) -> list[Request]:
    """Nothing, too much, and one that is taken."""
    rejected = world.worker.assignments.get(status="Rejected", replied_at=None)
    address = reverse("worker-answer", args=[rejected.assignment_id])
    texts = ["", world.text * 2000, world.text]
    return [Request(address, "POST", {"text": text}) for text in texts]


def _wrong_password(world: World) -> list[Request]:
    return [Request(reverse("worker-sign-in"), "POST", {"login": "ada", "password": "guess"})]


def _sign_up(world: World) -> list[Request]:
    data = {"username": "ada", "password1": "1", "password2": "2"}
    return [Request(reverse("account_signup"), "POST", data)]


# --- Our pages of the admin ----------------------------------------------------------------------
def _launch(world: World) -> list[Request]:
    address = reverse("admin:studies_study_launch", args=[world.study.pk])
    plan = {
        "task_type": "state_annotation",
        "overlap": "2",
        "reward_usd": "0.35",
        "time_limit": "30m",
        "lifetime": "7d",
        "auto_approval_delay": "3d",
        "eligibility": "open",
        "seed": "7",
        "launch_key": "9b2f6f2e-0a44-4b6e-9a3c-6f1f5d1f7a11",
        "target_hourly_usd": "12",
    }
    wrong = plan | {"overlap": "0", "reward_usd": "x", "lifetime": "soon", "limit": "-1"}
    dear = plan | {"reward_usd": "900"}
    none = plan | {"eligibility": "proficient", "limit": "900"}
    return [
        *(Request(f"{address}?{urlencode(p | {'step': 'review'})}") for p in (plan, dear)),
        Request(f"{address}?{urlencode(wrong | {'step': 'estimate'})}"),
        *(Request(address, "POST", given) for given in (wrong, dear, none)),
    ]


def _extend(world: World) -> list[Request]:
    address = reverse("admin:studies_round_extend", args=[world.round.pk])
    return [
        Request(f"{address}?step=1&overlap=1&stories=0&seen_wanted=8"),
        Request(address, "POST", {"overlap": "0", "stories": "0", "seen_wanted": "8"}),
        Request(address, "POST", {"overlap": "-1", "stories": "x", "seen_wanted": "8"}),
    ]


def _limit(world: World) -> list[Request]:
    address = reverse("admin:studies_round_limit", args=[world.round.pk])
    return [
        Request(f"{address}?step=review&worker_cap=1&seen=0"),
        Request(f"{address}?step=review&worker_cap=&seen=0"),
        Request(address, "POST", {"worker_cap": "x", "seen": world.text}),
        Request(address, "POST", {"worker_cap": "1", "seen": world.text}),
    ]


def _reject(world: World) -> list[Request]:
    chosen = [str(pk) for pk in Response.objects.values_list("pk", flat=True)]
    return [Request(reverse("admin:studies_reject"), "POST", {"_selected_action": chosen})]


def _release(world: World) -> list[Request]:
    address = reverse("admin:annotation_release_build")
    asked = {"study": str(world.study.pk), "name": "v9", "seed": "7", "test_from": "any"}
    asked |= {"layout": "jsonl", "train": "80", "validation": "12", "test": "8"}
    wrong = asked | {"name": world.text, "test": "x", "seed": "-1"}
    few = asked | {"test_from": "expert-reviewed"}
    return [
        *(Request(f"{address}?{urlencode(p | {'step': 'preview'})}") for p in (asked, few)),
        Request(f"{address}?study={world.study.pk}"),
        Request(address, "POST", wrong),
    ]


def _standings(world: World) -> list[Request]:
    address = reverse("admin:annotation_standings", args=[world.study.pk])
    return [Request(f"{address}?{query}") for query in ("standing=proficient", "extra=x")]


def _standings_stale(world: World) -> list[Request]:
    address = reverse("admin:annotation_standings_apply", args=[world.study.pk])
    return [Request(address, "POST", {"seen": world.text})]


def _report(world: World) -> list[Request]:
    """Asked for what it cannot be."""
    address = reverse("admin:evaluation_report", args=[world.study.pk, "likert"])
    return [Request(f"{address}?{query}") for query in ("expected_items=x", "expected_items=1")]


def _report_behind(world: World) -> list[Request]:
    agreement = reverse("admin:evaluation_report_behind", args=[world.study.pk, "agreement"])
    likert = reverse("admin:evaluation_report_behind", args=[world.study.pk, "likert"])
    system = urlencode({"cell_system": world.text[:100], "cell_metric": "datum"})
    return [Request(f"{agreement}?cell_question=datum"), Request(f"{likert}?{system}")]


def _instrument(world: World) -> list[Request]:
    """A next version, a preview, and something that is no instrument."""
    address = reverse("admin:evaluation_instrument_make")
    base = Instrument.objects.all()[0]
    preview = {"declaration": json.dumps(base.declaration), "step": "preview"}
    return [
        Request(f"{address}?from={base.pk}"),
        *(Request(address, "POST", data) for data in (preview, {"declaration": "{"})),
    ]


def _results(world: World) -> list[Request]:
    address = reverse("admin:evaluation_results_upload")
    return [Request(address, "POST", {"study": world.study.pk, "map": "{"})]


STATES: dict[str, Callable[[World], list[Request]]] = {
    "task": _task,
    "task-consent": _consent,
    "task-recording": _recording,
    "task-submit": _submit,
    "task-send": _send,
    "external-submit": _external_submit,
    "worker-list": _queries("worker-list", "order=reward", "page=2"),
    "worker-history": _queries("worker-history", "show=waiting", "show=not-submitted"),
    "worker-messages": _queries("worker-messages", "page=2"),
    "worker-answer": _answers,
    "worker-account": _queries("worker-account", "welcome=1"),
    "worker-set-password": _account_errors,
    "worker-rename": _name_error,
    "worker-sign-in": _wrong_password,
    "account_signup": _sign_up,
    "studies_study_launch": _launch,
    "studies_round_extend": _extend,
    "studies_round_limit": _limit,
    "studies_reject": _reject,
    "annotation_release_build": _release,
    "annotation_standings": _standings,
    "annotation_standings_apply": _standings_stale,
    "evaluation_report": _report,
    "evaluation_report_behind": _report_behind,
    "evaluation_instrument_make": _instrument,
    "evaluation_results_upload": _results,
}
