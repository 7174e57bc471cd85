"""An expert's queue through the API: what is before them, their verdicts, and nothing else."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Turn, Verdict
from annotation.releases.withdrawal import withdraw_participant
from studies.models import Response, Worker
from tests.api.conftest import API, Site
from tests.api.document import document, named

REVIEW = f"{API}/review"
DESK = f"{REVIEW}/studies/evenings"
GOOD = {"verdict": "correct", "grade": "good", "seconds": 12.5}
WRONG = {"verdict": "reject", "step": 1, "reason": "action"}


def post(client: Client, address: str, data: Any = None) -> Any:
    return client.post(address, data or {}, content_type="application/json")


def test_a_verdict_is_given_changed_and_taken_back(reviewed: Site) -> None:
    kim = reviewed.client("reviewer")
    turn = post(kim, f"{DESK}/next/").json()
    again = post(kim, f"{DESK}/next/").json()
    address = f"{REVIEW}/turns/{turn['turn']}"
    given = post(kim, f"{address}/verdict/", GOOD).json()
    changed = post(kim, f"{address}/verdict/", WRONG).json()

    assert again == turn
    assert (turn["state"], turn["verdict"]) == ("open", None)
    assert (given["state"], given["verdict"]["grade"]) == ("done", "good")
    assert changed["verdict"] == {**WRONG, "grade": "", "remark": ""}
    assert Verdict.objects.filter(reviewer=reviewed.user("reviewer")).count() == 2
    taken_back = post(kim, f"{address}/undo/").json()
    assert (taken_back["state"], taken_back["verdict"]) == ("open", None)
    assert post(kim, f"{address}/undo/").status_code == 422
    assert not Verdict.objects.filter(replaced_at__isnull=True).exists()


def test_what_is_missing_is_said_of_its_field(reviewed: Site) -> None:
    kim = reviewed.client("reviewer")
    address = f"{REVIEW}/turns/{reviewed.turn_of('reviewer')}/verdict/"
    said: list[dict[str, Any]] = [
        {"verdict": "perhaps"},
        {"verdict": "correct", "grade": "splendid"},
        {"verdict": "reject"},
        {"verdict": "reject", "step": 1, "reason": "illogical"},
        {"verdict": "reject", "step": 1, "reason": "other"},
        {"verdict": "correct", "grade": "good", "seconds": "nan"},
    ]
    answers = [post(kim, address, one) for one in said]

    assert [answer.status_code for answer in answers] == [400] * len(said)
    named = [list(answer.json()["errors"]) for answer in answers]
    assert named == [["verdict"], ["grade"], ["step"], ["reason"], ["remark"], ["seconds"]]
    assert not Verdict.objects.exists()


def test_a_turn_is_put_off_and_found_again(reviewed: Site) -> None:
    kim = reviewed.client("reviewer")
    turn = reviewed.turn_of("reviewer")
    assert post(kim, f"{REVIEW}/turns/{turn}/later/").json()["state"] == "put-off"
    following = post(kim, f"{DESK}/next/").json()["turn"]
    (waiting,) = kim.get(f"{DESK}/put-off/").json()["results"]
    (desk,) = kim.get(f"{REVIEW}/studies/").json()
    done = post(kim, f"{REVIEW}/turns/{following}/verdict/", GOOD).json()["turn"]

    assert (waiting["turn"], following != turn) == (turn, True)
    assert (desk["study"], desk["done"], desk["put_off"]) == ("evenings", 0, 1)
    assert post(kim, f"{REVIEW}/turns/{done}/later/").status_code == 422
    for _ in range(2):
        last = post(kim, f"{DESK}/next/")
        if last.status_code == 200:
            post(kim, f"{REVIEW}/turns/{last.json()['turn']}/verdict/", GOOD)
    assert last.status_code == 204


def test_others_settle_what_two_judged_differently(reviewed: Site) -> None:
    kim, ada, lea = (reviewed.client(role) for role in ("reviewer", "superuser", "researcher"))
    for client, said in ((kim, GOOD), (ada, WRONG)):
        while (turn := post(client, f"{DESK}/next/")).status_code == 200:
            post(client, f"{REVIEW}/turns/{turn.json()['turn']}/verdict/", said)
    found = lea.get(f"{DESK}/disputed/").json()
    assert (found["left"], len(found["next"]["verdicts"])) == (3, 2)
    address = f"{DESK}/disputed/{found['next']['key']}/"
    assert kim.get(f"{DESK}/disputed/").json() == {"left": 0, "next": None}
    assert post(kim, address, GOOD).status_code == 404
    assert post(lea, address, {"verdict": "correct"}).status_code == 400
    assert post(lea, address, GOOD).json()["grade"] == "good"
    assert post(lea, address, WRONG).json()["verdict"] == "reject"
    assert post(kim, address, GOOD).status_code == 404
    assert lea.get(f"{DESK}/disputed/").json()["left"] == 2


def test_nothing_tells_whose_it_is_or_what_others_said(reviewed: Site) -> None:
    kim, lea = reviewed.client("reviewer"), reviewed.client("researcher")
    post(lea, f"{REVIEW}/turns/{reviewed.turn_of('researcher')}/verdict/", WRONG | {"step": 3})
    shown = post(kim, f"{DESK}/next/").content.decode()

    workers = Worker.objects.values_list("marketplace_id", "participations__pseudonym")
    assert not [name for row in workers for name in row if name in shown]
    assert set(kim.get(f"{REVIEW}/turns/{reviewed.turn_of('reviewer')}/").json()) == {
        *("turn", "study", "source", "state", "verdict", "task_type"),
        *("item", "content", "warnings", "evidence"),
    }


@pytest.mark.parametrize("what", ["", "verdict/", "undo/", "later/"])
def test_a_turn_of_somebody_else_is_not_found(reviewed: Site, what: str) -> None:
    theirs, kim = reviewed.turn_of("researcher"), reviewed.client("reviewer")
    address = f"{REVIEW}/turns/{theirs}/{what}"
    answer = post(kim, address, GOOD) if what else kim.get(address)

    assert answer.status_code == 404
    assert Turn.objects.get(pk=theirs).done_at is None


@pytest.mark.parametrize("what", ["", "verdict/", "undo/", "later/"])
def test_a_turn_whose_worker_withdrew_is_neither_shown_nor_judged(
    reviewed: Site, what: str
) -> None:
    kim, turn = reviewed.client("reviewer"), reviewed.turn_of("reviewer")
    participant = Turn.objects.get(pk=turn).contribution.response.assignment.participant
    assert participant is not None
    withdraw_participant(participant=participant)

    address = f"{REVIEW}/turns/{turn}/{what}"
    answer = post(kim, address, GOOD) if what else kim.get(address)

    assert answer.status_code == 404
    assert answer.json()["detail"].startswith("This was withdrawn")
    assert not Verdict.objects.exists()


def test_a_researcher_judges_outside_the_sample_and_a_reviewer_does_not(site: Site) -> None:
    response = Response.objects.filter(assignment__task__round=site.round)[0]
    address = f"{API}/studies/evenings/responses/{response.pk}/review/"
    lea = site.client("researcher")

    assert post(site.client("reviewer"), address).status_code == 403
    turn = post(lea, address).json()
    assert (turn["source"], turn["state"]) == ("single", "open")
    assert post(lea, f"{REVIEW}/turns/{turn['turn']}/verdict/", GOOD).status_code == 200


def test_what_can_be_said_is_listed_with_definitions(site: Site) -> None:
    form = site.client("reviewer").get(f"{REVIEW}/forms/state_annotation/").json()

    assert set(form["steps"]) == {"1", "2", "3", "4"}
    assert [grade["slug"] for grade in form["grades"]] == ["correct", "good"]
    assert all(reason["definition"] and reason["steps"] for reason in form["reasons"])
    assert site.client("reviewer").get(f"{REVIEW}/forms/none/").status_code == 404


@pytest.mark.parametrize(("role", "refused"), [("reviewer", {403, 404}), ("worker", {403})])
def test_every_other_operation_is_closed(reviewed: Site, role: str, refused: set[int]) -> None:
    """Whatever the document lists, with what there is at hand to name."""
    client, asked = reviewed.client(role), []
    for path, operations in document()["paths"].items():
        if role == "reviewer" and path.startswith(f"{REVIEW}/"):
            continue
        address = path.format(**named(reviewed))
        for method in operations:
            answer = getattr(client, method)(address)
            asked.append((path, method))
            assert answer.status_code in refused, (method, path, answer.status_code)
            assert answer["Content-Type"] == "application/problem+json"

    assert len(asked) > 40


def test_review_is_open_to_reviewers(reviewed: Site) -> None:
    names = {"turn": reviewed.turn_of("reviewer"), "task_type": "state_annotation"}
    client, asked = reviewed.client("reviewer"), 0
    for path, operations in document()["paths"].items():
        if path.startswith(f"{REVIEW}/") and "get" in operations:
            answer = client.get(path.format(**named(reviewed) | names))
            assert answer.status_code == 200, path
            asked += 1

    assert asked > 4
