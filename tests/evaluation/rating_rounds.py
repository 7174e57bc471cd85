"""Rounds of ratings, and raters who go through them request by request."""

import io
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluation.rating.outputs import Outputs
from evaluation.rating.sources.file import outputs_of_file
from evaluation.services.instruments import find_instrument
from evaluation.services.rating_rounds import Design, RatingPlan, launch_ratings, plan_ratings
from studies.models import Assignment, Response, ResponseState, Round, RoundState, Slot, Study
from studies.services.arranging import item_shown
from tests.studies import factories as make
from tests.studies.frames import address

Row = dict[str, Any]
# From the fields of an item as it is shown to what the rater answers.
Judge = Callable[[Mapping[str, Any]], dict[str, Any]]


def lines(rows: Sequence[Row]) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())


def read(study: Study, instrument: str, rows: Sequence[Row], *, gold: bool = False) -> Outputs:
    declared = find_instrument(instrument).declared
    source = lines(rows)
    return outputs_of_file(source, name="outputs.jsonl", study=study, declared=declared, gold=gold)


def planned(study: Study, instrument: str, outputs: Outputs, **asked: Any) -> RatingPlan:
    chosen = {"overlap": 3, "reward_usd": Decimal("0.10"), "seed": 7}
    own = {name: asked.pop(name) for name in Design.__annotations__ if name in asked}
    return plan_ratings(
        study=study,
        instrument=find_instrument(instrument),
        outputs=outputs,
        design=Design(**own),
        gold=asked.pop("gold", None),
        chosen=chosen | asked,
    )


def launched(study: Study, instrument: str, rows: Sequence[Row] | Outputs, **asked: Any) -> Round:
    """Its slots are published."""
    outputs = rows if isinstance(rows, Outputs) else read(study, instrument, rows)
    round, job = launch_ratings(plan=planned(study, instrument, outputs, **asked))
    job.delete()
    return publish(round)


def publish(round: Round) -> Round:
    """As after the job that publishes it."""
    slots = list(round.slots.filter(hit_id=""))
    for slot in slots:
        slot.hit_id = make.new_hit_id()
    Slot.objects.bulk_update(slots, ["hit_id"])
    round.state = RoundState.OPEN
    round.hit_type_id = secrets.token_hex(15).upper()
    round.hold_qualification_type_id = secrets.token_hex(15).upper()
    round.save()
    return round


def open_page(round: Round, worker: str) -> Any:
    frame = make.make_frame(make.free_slot(round), worker_id=worker)
    return Client().get(address(round, frame))


def submit(page: Any, fields: dict[str, Any]) -> Any:
    found = re.search(r'name="token" value="([^"]+)"', page.content.decode())
    assert found, page.content.decode()
    token = unescape(found.group(1))
    return Client().post(reverse("task-submit"), {"token": token, **fields})


def assignment_of(round: Round, worker: str) -> Assignment:
    """The one that this worker has in hand."""
    found = Assignment.objects.filter(
        task__round=round, participant__worker__marketplace_id=worker, state="accepted"
    )
    return found.select_related("task__round").get()


def shown_to(assignment: Assignment) -> list[Mapping[str, Any]]:
    return [one["fields"] for one in item_shown(assignment)["items"]]


def rate(round: Round, worker: str, judge: Judge) -> Response:
    """Open the next task, answer it by what it shows, and have the marketplace confirm it."""
    page = open_page(round, worker)
    assert page.status_code == 200, page.content.decode()
    assignment = assignment_of(round, worker)
    fields = {
        f"{question}_{place}": str(code)
        for place, shown in enumerate(shown_to(assignment), 1)
        for question, code in judge(shown).items()
    }
    sent = submit(page, fields)
    assert sent.status_code == 303, sent.content.decode()
    return confirm(assignment)


def rate_all(round: Round, workers: Sequence[str], judge: Judge) -> None:
    for _task in range(round.tasks.count()):
        for worker in workers:
            rate(round, worker, judge)


def confirm(assignment: Assignment) -> Response:
    """As the marketplace would."""
    response = Response.objects.get(assignment=assignment)
    response.state, response.confirmed_at = ResponseState.CONFIRMED, timezone.now()
    response.save()
    return response
