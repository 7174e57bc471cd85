"""What costs more than is left of the budget is launched or extended only when somebody says so."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from config.tokens import make_token
from studies import task_types
from studies.models import Round, Study
from studies.services.plans import AboveBudget, Plan
from studies.services.rounds import AlreadyLaunched, launch_round
from studies.services.study_figures import money_of
from tests.studies import factories as make
from tests.studies.members import make_member
from tests.studies_admin.conftest import admin_user, client

__all__ = ["admin_user", "client"]
pytestmark = pytest.mark.django_db
LAUNCH = {"task_type": "state_annotation", "overlap": 2, "reward_usd": "0.35"}


def make_budgeted(usd: str) -> Study:
    """With two stories: a launch as above costs $1.68."""
    study = make.make_study(budget_usd=Decimal(usd))
    make.make_stories(study, 2)
    return study


def make_plan(study: Study, *, above_budget: bool = False) -> Plan:
    return Plan(
        study=study,
        task_type=task_types.get("state_annotation"),
        overlap=2,
        reward_usd=Decimal("0.35"),
        above_budget=above_budget,
    )


def post(study: Study, path: str, given: dict[str, Any]) -> Any:
    _token, secret = make_token(user=make_member(study, name=f"n{uuid.uuid4().hex}"), label="t")
    return Client(headers={"Authorization": f"Bearer {secret}"}).post(
        f"/api/v1/studies/{study.slug}/{path}", json.dumps(given), content_type="application/json"
    )


@pytest.mark.django_db(transaction=True)
def test_of_launches_at_once_only_as_many_are_made_as_the_budget_has_room_for() -> None:
    study = make_budgeted("4.00")

    def send(_number: int) -> str:
        try:
            launch_round(plan=make_plan(study))
        except AboveBudget:
            return "refused"
        finally:
            connection.close()
        return "launched"

    with ThreadPoolExecutor(6) as pool:
        done = sorted(pool.map(send, range(6)))

    assert done == ["launched"] * 2 + ["refused"] * 4
    assert money_of(study).left_usd == Decimal("0.64")


def test_a_launch_sent_again_is_not_counted_against_itself() -> None:
    study = make_budgeted("2.00")
    key = uuid.uuid4()
    launch_round(plan=make_plan(study), launch_key=key)

    with pytest.raises(AlreadyLaunched):
        launch_round(plan=make_plan(study), launch_key=key)
    with pytest.raises(AboveBudget):
        launch_round(plan=make_plan(study))
    launch_round(plan=make_plan(study, above_budget=True))


def test_the_api_asks_before_a_launch_and_an_extension() -> None:
    study = make_budgeted("2.00")
    round = launch_round(plan=make_plan(study))[0]
    Round.objects.update(state="open")
    extend = f"rounds/{round.number}/extend/"

    launched = post(study, "rounds/", LAUNCH)
    extended = post(study, extend, {"overlap": 90})

    for refused in (launched, extended):
        assert refused.status_code == 422
        assert "Send above_budget: true." in refused.json()["detail"]
    assert money_of(study).left_usd == Decimal("0.32")
    assert post(study, extend, {"overlap": 1, "above_budget": True}).status_code == 202
    assert post(study, "rounds/", LAUNCH | {"above_budget": True}).status_code == 201


def test_the_page_asks_before_an_extension(client: Client) -> None:
    study = make_budgeted("2.00")
    round = launch_round(plan=make_plan(study))[0]
    Round.objects.update(state="open")
    address = reverse("admin:studies_round_extend", args=[round.pk])
    given = {"overlap": "1", "stories": "0", "seen_wanted": "4"}

    shown = client.get(address, given | {"step": "estimate"}).content.decode()
    asked = client.post(address, given)
    before = money_of(study).left_usd
    done = client.post(address, given | {"above_budget": "on"})

    assert 'name="above_budget" required' in shown
    assert asked.status_code == 422
    assert "Tick the box to extend it." in asked.content.decode()
    assert 'name="above_budget" required' in asked.content.decode()
    assert before == Decimal("0.32")
    assert done.status_code == 303
    assert money_of(study).left_usd == Decimal("-0.52")


def test_the_commands_ask_too(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_budgeted("2.00")
    round = launch_round(plan=make_plan(study))[0]
    Round.objects.update(state="open")
    launch = ("launch_round", study.slug, "--task=state_annotation", "--overlap=2", "--reward=0.35")
    monkeypatch.setattr("studies.management.commands.launch_round.wake", lambda job: None)
    monkeypatch.setattr(
        "studies.management.commands.change_round.Command.run_job", lambda *given, **how: None
    )

    with pytest.raises(CommandError, match="Add --above-budget to launch it"):
        call_command(*launch, "--detach")
    with pytest.raises(CommandError, match="Add --above-budget to extend it"):
        call_command("change_round", study.slug, round.number, "extend", "--overlap=1")
    assert money_of(study).left_usd == Decimal("0.32")

    call_command(*launch, "--detach", "--above-budget")
    call_command(
        "change_round", study.slug, round.number, "extend", "--overlap=1", "--above-budget"
    )
    assert study.rounds.count() == 2
    assert round.slots.count() == 6
