"""Roles are as in the admin: who sees a study, who may change it, and who is told nothing of it."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from config.models import ApiToken, AuditEntry, Origin
from config.tokens import make_token
from studies.models import Job, Response, Round, RoundState, Study, Worker
from tests.api.conftest import API, Site
from tests.api.document import document, named

# What all studies share.
SHARED = ("{task_type}", "{instrument}")
PLAN = {"task_type": "state_annotation", "overlap": 3, "reward_usd": "0.35"}
READ = [
    *("studies/evenings/", "studies/evenings/stories/", "studies/evenings/rounds/"),
    *("studies/evenings/responses/", "studies/evenings/reviews/", "studies/evenings/standings/"),
    *("studies/evenings/releases/", "studies/evenings/responses.ndjson"),
]


def post(client: Client, path: str, data: Any = None) -> Any:
    return client.post(f"{API}/{path}", data or {}, content_type="application/json")


def all_of(answer: Any) -> str:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return str(body.decode())


def test_a_researcher_reads_what_the_study_has(site: Site) -> None:
    client = site.client("researcher")
    assert {path: client.get(f"{API}/{path}").status_code for path in READ} == dict.fromkeys(
        READ, 200
    )


@pytest.mark.parametrize(
    ("role", "status"), [("stranger", 404), ("reviewer", 403), ("worker", 403), ("nobody", 401)]
)
def test_others_are_refused_in_words(site: Site, role: str, status: int) -> None:
    client = site.client(role)
    for path in READ:
        answer = client.get(f"{API}/{path}")
        assert answer.status_code == status, path
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["detail"]


def test_a_stranger_finds_nothing_of_the_study_by_any_operation(reviewed: Site) -> None:
    names = named(reviewed) | {"turn": reviewed.turn_of("reviewer")}
    client, asked = reviewed.client("stranger"), 0
    before = (Job.objects.count(), Round.objects.count())
    for path, operations in document()["paths"].items():
        if "{" not in path or any(shared in path for shared in SHARED):
            continue
        for method in operations:
            answer = send(client, method, path.format(**names))
            assert answer.status_code == 404, (method, path, answer.content)
            asked += 1

    assert asked > 50
    assert (Job.objects.count(), Round.objects.count()) == before
    for path in ("studies/", "review/studies/"):
        assert reviewed.study.title not in client.get(f"{API}/{path}").content.decode()


def send(client: Client, method: str, address: str) -> Any:
    if method == "get":
        return client.get(address)
    return client.generic(method.upper(), address, "{}", content_type="application/json")


def test_the_document_that_is_served_is_the_one_that_is_tested(site: Site) -> None:
    served = site.client("reviewer").get(f"{API}/openapi.json").json()
    assert served["paths"].keys() == document()["paths"].keys()
    assert served["components"] == json.loads(json.dumps(document()["components"]))


def test_workers_have_pseudonyms_and_nothing_else(site: Site) -> None:
    client = site.client("researcher")
    shown = all_of(client.get(f"{API}/studies/evenings/responses.ndjson"))
    rows = [json.loads(line) for line in shown.splitlines()]

    assert len(rows) == 3
    assert all(row["participant"].startswith("w-") for row in rows)
    marketplace = Worker.objects.values_list("marketplace_id", flat=True)
    assignments = Response.objects.values_list("assignment__marketplace_id", flat=True)
    assert not [known for known in (*marketplace, *assignments) if known in shown]


def test_pages_follow_one_another_to_the_end(site: Site) -> None:
    client, address, seen = site.client("researcher"), f"{API}/studies/evenings/responses/", []
    following: str | None = f"{address}?limit=2&state=confirmed"
    while following:
        page = client.get(following).json()
        seen.append([row["response"] for row in page["results"]])
        following = page["next"]

    assert [len(rows) for rows in seen] == [2, 1]
    assert sum(seen, []) == sorted(Response.objects.values_list("pk", flat=True))


def test_a_round_is_estimated_launched_paused_and_closed(site: Site) -> None:
    client, key = site.client("researcher"), "9b2f6f2e-0a44-4b6e-9a3c-6f1f5d1f7a11"
    cost = post(client, "studies/evenings/rounds/estimate/", PLAN).json()
    made = post(client, "studies/evenings/rounds/", PLAN | {"launch_key": key})
    again = post(client, "studies/evenings/rounds/", PLAN | {"launch_key": key})

    assert cost == made.json()["estimate"]
    assert (cost["slots"], cost["total_usd"]) == (9, "3.78")
    assert (made.status_code, again.status_code) == (201, 200)
    round = Round.objects.get(study=site.study, number=made.json()["round"]["number"])
    assert round.launched_by == site.people["researcher"]
    for change, state in (("pause", RoundState.PAUSED), ("close", RoundState.CLOSED)):
        assert post(client, f"studies/evenings/rounds/{round.number}/{change}/").status_code == 202
        round.refresh_from_db()
        assert round.state == state
    refused = post(client, f"studies/evenings/rounds/{round.number}/pause/")
    assert (refused.status_code, "closed" in refused.json()["detail"]) == (422, True)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"overlap": 0}, 400),
        ({"reward_usd": "0.355"}, 400),
        ({"lifetime": "soon"}, 400),
        ({"task_type": "none"}, 400),
        ({"apart_from": [77]}, 400),
        ({"reward_usd": "0"}, 422),
        ({"reward_usd": "900"}, 422),
        ({"eligibility": "proficient"}, 422),
    ],
)
def test_a_launch_that_cannot_be_is_refused_and_makes_nothing(
    site: Site, change: dict[str, Any], status: int
) -> None:
    Study.objects.filter(pk=site.study.pk).update(budget_usd=50)
    answer = post(site.client("researcher"), "studies/evenings/rounds/", PLAN | change)

    assert answer.status_code == status, answer.content
    assert Round.objects.filter(study=site.study).count() == 1


def test_whoever_creates_a_study_is_its_researcher(site: Site) -> None:
    client = site.client("stranger")
    assert post(client, "studies/", {"study": "mornings"}).status_code == 201
    assert client.get(f"{API}/studies/mornings/").status_code == 200
    assert site.client("researcher").get(f"{API}/studies/mornings/").status_code == 404


def test_a_session_of_the_admin_is_good_too_but_not_without_its_csrf_token(site: Site) -> None:
    lea = site.people["researcher"]
    assert lea is not None
    client = Client(enforce_csrf_checks=True)
    client.force_login(lea)

    assert client.get(f"{API}/studies/evenings/").status_code == 200
    assert post(client, "studies/", {"study": "mornings"}).status_code == 403
    assert not Study.objects.filter(slug="mornings").exists()


def test_what_is_done_is_in_the_audit_log_and_what_is_refused_is_not(site: Site) -> None:
    client = site.client("researcher")
    post(client, "studies/", {"study": "mornings"})
    post(client, "studies/", {"study": "mornings"})

    (entry,) = AuditEntry.objects.filter(origin=Origin.API)
    assert (entry.actor, entry.action) == ("lea", "api-studies")


def test_a_token_is_kept_as_a_hash_shown_once_and_can_be_revoked(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("api_token", "lea", "notebook", "--format", "json")
    secret = json.loads(capsys.readouterr().out)["token"]
    headers = {"authorization": f"Bearer {secret}"}
    address = f"{API}/studies/evenings/"

    assert Client(headers=headers).get(address).status_code == 200
    assert not [row for row in ApiToken.objects.values_list() if secret in map(str, row)]
    call_command("api_token", "lea", "notebook", "--revoke")
    assert Client(headers=headers).get(address).status_code == 401


def test_a_token_is_made_in_the_admin_for_oneself_and_revoked_there(site: Site) -> None:
    lea, kim = site.people["researcher"], site.people["reviewer"]
    assert lea is not None and isinstance(kim, User)
    make_token(user=kim, label="somebody else's")
    client = Client()
    client.force_login(lea)

    made = client.post(reverse("admin:config_apitoken_add"), {"label": "script"}, follow=True)
    page = made.content.decode()
    secret = page[page.index("fabula_") :].split("<")[0].split()[0]
    address, headers = f"{API}/studies/evenings/", {"authorization": f"Bearer {secret}"}
    assert Client(headers=headers).get(address).status_code == 200
    listed = client.get(reverse("admin:config_apitoken_changelist")).content.decode()
    assert secret not in listed
    assert "somebody else" not in listed

    token = ApiToken.objects.get(label="script")
    data = {"action": "revoke", "_selected_action": token.pk}
    client.post(reverse("admin:config_apitoken_changelist"), data)
    assert Client(headers=headers).get(address).status_code == 401


def test_the_page_and_the_document_are_for_staff(site: Site) -> None:
    lea = site.people["researcher"]
    assert lea is not None
    client = Client()
    assert client.get(f"{API}/").status_code == 302
    client.force_login(lea)
    page = client.get(f"{API}/")
    assert page.status_code == 200
    assert "unsafe" not in page["Content-Security-Policy"]
    assert client.get(f"{API}/openapi.json").json()["openapi"].startswith("3.")
