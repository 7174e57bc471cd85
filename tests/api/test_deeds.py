"""What a command or a page does, the API does: each deed once, as whoever may do it."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from annotation.models import Pool, Release
from annotation.review import queue
from studies.jobs import run
from studies.models import (
    AssignmentState,
    Contribution,
    Job,
    Membership,
    Participant,
    Payment,
    PaymentKind,
    PaymentState,
    Response,
    Round,
    Story,
    StudyRole,
)
from tests.annotation.review.factories import judge
from tests.api.conftest import API, Site
from tests.studies.factories import make_round
from tests.studies.members import make_member
from tests.studies_admin.responses import make_response

STUDY = f"{API}/studies/evenings"
STORIES = b"story_id,title,line1,line2\nkite-1,A kite,The wind rose.,The kite flew.\n"


@pytest.fixture
def lea(site: Site) -> Client:
    return site.client("researcher")


def post(client: Client, path: str, data: Any = None) -> Any:
    return client.post(f"{STUDY}/{path}", data or {}, content_type="application/json")


def body_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_stories_come_in_a_form_or_as_the_body(lea: Client, site: Site) -> None:
    form = lea.post(f"{STUDY}/stories/", {"file": SimpleUploadedFile("kites.csv", STORIES)})
    rows = [{"story_id": "sail-1", "title": "A sail", "line1": "It rained.", "line2": "It held."}]
    line = json.dumps(rows[0]).encode()
    body = lea.post(f"{STUDY}/stories/?name=sails.jsonl", line, content_type="application/x-ndjson")

    assert (form.status_code, body.status_code) == (202, 202)
    assert form.json()["kind"] == "import_stories"
    for answer in (form, body):
        run(answer.json()["job"])
    first, second = (lea.get(f"{API}/jobs/{one.json()['job']}/").json() for one in (form, body))
    assert first["state"] == "done" and first["result"]["added"] == 1
    assert second["result"]["file"] == "sails.jsonl"
    assert second["result"]["problems"] or second["result"]["added"] == 1
    assert Story.objects.filter(study=site.study, external_id="kite-1").exists()


def test_responses_go_out_as_the_command_writes_them_and_come_in_elsewhere(
    lea: Client, site: Site
) -> None:
    written = lea.get(f"{STUDY}/responses/export/?layout=jsonl")
    lines = body_of(written)
    assert lines.count(b"\n") == 3
    assert written["Content-Type"] == "application/x-ndjson"
    assert b"assertion" in body_of(lea.get(f"{STUDY}/responses/export/?layout=csv&round=1"))
    assert lea.get(f"{STUDY}/responses/export/?layout=csv&round=9").status_code == 404

    lea.post(f"{API}/studies/", {"study": "mornings"}, content_type="application/json")
    address = f"{API}/studies/mornings/responses/"
    sent = lea.post(f"{address}?name=old.jsonl", lines, content_type="application/x-ndjson")
    assert sent.status_code == 202, sent.content
    run(sent.json()["job"])

    job = lea.get(f"{API}/jobs/{sent.json()['job']}/").json()
    assert (job["state"], job["result"]["added"], job["error"]) == ("done", 3, "")
    assert Round.objects.get(study__slug="mornings").past


def test_a_file_that_is_not_right_brings_nothing_and_says_why(lea: Client) -> None:
    sent = lea.post(f"{STUDY}/responses/", b'{"no": 1}\n', content_type="application/x-ndjson")
    run(sent.json()["job"])
    job = lea.get(f"{API}/jobs/{sent.json()['job']}/").json()

    assert job["state"] == "failed"
    assert job["result"]["problems"]
    assert "Nothing was imported" in job["error"]


@pytest.mark.parametrize("path", ["stories", "responses"])
def test_a_file_that_is_too_large_is_refused(lea: Client, settings: Settings, path: str) -> None:
    settings.STORY_UPLOAD_MAX_BYTES = 20
    before = Job.objects.count()
    body = lea.post(f"{STUDY}/{path}/", b"x" * 21, content_type="application/x-ndjson")
    form = lea.post(f"{STUDY}/{path}/", {"file": SimpleUploadedFile("a.csv", b"x" * 21)})

    assert (body.status_code, form.status_code) == (413, 400)
    assert "At most" in form.json()["errors"]["file"][0]
    assert Job.objects.count() == before


def test_payments_are_decided_once_and_taken_back(lea: Client, site: Site) -> None:
    first, second, third = Response.objects.order_by("pk").values_list("pk", flat=True)
    approved = post(lea, "responses/approve/", {"responses": [first, second]})
    again = post(lea, "responses/approve/", {"responses": [first]})
    silent = post(lea, "responses/reject/", {"responses": [third], "reason": " "})
    rejected = post(lea, "responses/reject/", {"responses": [third], "reason": "All one word."})

    assert approved.json() == {"decided": 2, "left": 0}
    assert again.json() == {"decided": 0, "left": 1}
    assert (silent.status_code, rejected.json()) == (400, {"decided": 1, "left": 0})
    payment = Payment.objects.get(assignment__response=third)
    assert (payment.kind, payment.decided_by) == (PaymentKind.REJECT, site.people["researcher"])
    (row,) = lea.get(f"{STUDY}/payments/?decision=reject").json()["results"]
    assert (row["response"], row["reason"]) == (third, "All one word.")

    assert post(lea, f"responses/{third}/approve-after-all/").status_code == 422
    Payment.objects.filter(pk=payment.pk).update(state=PaymentState.CONFIRMED)
    payment.assignment.state = AssignmentState.REJECTED
    payment.assignment.save()
    assert post(lea, f"responses/{third}/approve-after-all/").status_code == 200
    payment.refresh_from_db()
    assert payment.kind == PaymentKind.APPROVE and payment.overruled_at is not None


def test_a_response_of_another_study_is_not_decided_on(lea: Client, site: Site) -> None:
    elsewhere = make_response(make_round())
    own = Response.objects.filter(assignment__task__round=site.round)[0]
    answer = post(lea, "responses/approve/", {"responses": [own.pk, elsewhere.pk]})

    assert answer.status_code == 400
    assert not Payment.objects.exists()


def test_a_round_is_limited(lea: Client, site: Site) -> None:
    other = make_round(site.study)
    limits = {"worker_cap": 2, "apart_from": [other.number]}
    made = post(lea, f"rounds/{site.round.number}/limit/", limits).json()
    kept = post(lea, f"rounds/{site.round.number}/limit/", {"worker_cap": None}).json()

    assert (made["worker_cap"], made["apart_from"]) == (2, [other.number])
    assert (kept["worker_cap"], kept["apart_from"]) == (None, [other.number])
    assert post(lea, f"rounds/{site.round.number}/limit/").status_code == 422
    own = {"apart_from": [site.round.number]}
    assert post(lea, f"rounds/{site.round.number}/limit/", own).status_code == 422


def test_workers_become_proficient_and_no_longer(lea: Client, site: Site) -> None:
    rows = lea.get(f"{STUDY}/participants/").json()["results"]
    names = [row["participant"] for row in rows]
    assert [row["responses"] for row in rows] == [1, 1, 1]
    made = post(lea, f"participants/{names[0]}/", {"proficient": True}).json()
    assert made["proficient"] is True
    able = lea.get(f"{STUDY}/participants/?proficient=true").json()["results"]
    assert [row["participant"] for row in able] == names[:1]
    post(lea, f"participants/{names[0]}/", {"proficient": False})
    assert not Participant.objects.filter(qualified_at__isnull=False).exists()

    Participant.objects.get(pseudonym=names[1]).assignments.update(state=AssignmentState.APPROVED)
    address = "participants/suggested/"
    assert lea.get(f"{STUDY}/{address}?min_approved=1").json() == [
        {"participant": names[1], "approved": 1}
    ]
    assert post(lea, address, {"min_approved": 1}).json() == {"granted": 1}


def test_colleagues_become_members_and_workers_stay_unknown(lea: Client, site: Site) -> None:
    make_member(name="eva")
    assert post(lea, "members/", {"account": "eva", "role": "reviewer"}).status_code == 200
    assert Membership.objects.get(user__username="eva").role == StudyRole.REVIEWER
    unknown = [post(lea, "members/", {"account": a, "role": "reviewer"}) for a in ("a-worker", "x")]
    assert [answer.status_code for answer in unknown] == [422, 422]
    # To change a role is more than to add a member.
    assert post(lea, "members/", {"account": "eva", "role": "researcher"}).status_code == 403
    listed = lea.get(f"{STUDY}/members/").json()["results"]
    assert {row["account"] for row in listed} == {"lea", "kim", "eva"}


def test_a_worker_takes_back_what_they_gave(lea: Client, site: Site) -> None:
    name = site.study.participants.order_by("pk")[0].pseudonym
    address = f"{STUDY}/participants/{name}/withdrawal/"
    foreseen = lea.get(address).json()
    done = lea.post(address).json()

    assert foreseen == done == {"participant": name, "contributions": 1, "releases": [], "uses": []}
    assert lea.get(address).json()["contributions"] == 0
    of_all, of_one = (
        lea.get(f"{STUDY}/responses/", query).json()["results"]
        for query in ({"participant": name}, {"withdrawn": "true"})
    )
    assert of_all == of_one
    assert [(row["withdrawn"], row["state"]) for row in of_all] == [(True, "confirmed")]


def test_a_sample_is_drawn_and_a_pool_when_enough_is_settled(lea: Client, site: Site) -> None:
    assert lea.get(f"{STUDY}/review-plan/").status_code == 404
    drawn = post(lea, "review-plan/top-up/").json()
    again = post(lea, "review-plan/top-up/").json()
    assert (drawn["drawn"]["picks"], again["drawn"]["picks"]) == (3, 0)
    assert lea.get(f"{STUDY}/review-plan/").json()["sample"]["open"] == 3
    assert post(lea, "review-plan/pools/", {"size": 2}).status_code == 422

    for contribution in Contribution.objects.order_by("pk"):
        turn = queue.open_single(reviewer=site.user("reviewer"), contribution=contribution)
        judge(turn)
    pool = post(lea, "review-plan/pools/", {"size": 2, "seed": 7})
    assert (pool.status_code, pool.json()["seed"]) == (201, 7)
    assert Pool.objects.get().contributions.count() == 2


def test_standings_say_what_is_needed_and_what_applying_would_do(
    lea: Client, reviewed: Site
) -> None:
    rows = lea.get(f"{STUDY}/standings/").json()
    assert [(row["n"], row["standing"]) for row in rows] == [(1, "undecided")] * 3
    assert all("49 more responses" in row["needed"] for row in rows)
    assert lea.get(f"{STUDY}/standings/apply/").json()["written"] == 3
    job = post(lea, "standings/apply/").json()
    assert (job["kind"], job["state"]) == ("apply_standings", "queued")


def test_a_release_is_counted_and_verified(lea: Client, released: Release) -> None:
    counted = lea.get(f"{STUDY}/releases/v1/statistics/").json()
    assert counted == lea.get(f"{STUDY}/releases/v1/").json()["statistics"]
    assert counted["tuples"] + counted["withheld"] == 3
    job = post(lea, "releases/v1/verify/").json()["job"]
    run(job)
    checked = lea.get(f"{API}/jobs/{job}/").json()
    assert (checked["state"], checked["error"]) == ("done", "")
    assert "3 rows" in checked["result"]["said"]
