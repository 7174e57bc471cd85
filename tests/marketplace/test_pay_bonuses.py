"""SendBonus and ListBonusPayments, through boto3."""

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from django.db import IntegrityError, connection, transaction

from marketplace.models import AccessKey, Assignment, Bonus, LedgerEntry, Requester, RequestToken
from marketplace.services.funds import credit_requester
from tests.marketplace.conftest import ClientFor
from tests.marketplace.factories import (
    make_accepted,
    make_hit,
    make_hit_type,
    make_key,
    make_requester,
    make_submitted,
    make_worker,
)
from tests.marketplace.refusals import error_code, message, turk_code

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient


def bonus_of(assignment: Assignment, **given: Any) -> dict[str, Any]:
    return {
        "WorkerId": assignment.worker.worker_id,
        "AssignmentId": assignment.assignment_id,
        "BonusAmount": "0.50",
        "Reason": "A careful second half.",
    } | given


def test_a_bonus_moves_amount_and_fee_at_once(
    mturk: "MTurkClient", submitted: Assignment, key: AccessKey
) -> None:
    before = Decimal(mturk.get_account_balance()["AvailableBalance"])

    mturk.send_bonus(**bonus_of(submitted))

    assert before - Decimal(mturk.get_account_balance()["AvailableBalance"]) == Decimal("0.60")
    entries = LedgerEntry.objects.filter(assignment=submitted)
    moved = {(one.kind, one.worker, str(one.amount_usd)) for one in entries}
    assert moved == {("bonus", submitted.worker, "-0.50"), ("fee", None, "-0.10")}
    key.requester.refresh_from_db()
    total = sum(one.amount_usd for one in key.requester.ledger.all())
    assert key.requester.balance_usd == total


@pytest.mark.parametrize("decided", ["approve", "reject"])
def test_a_bonus_can_come_whatever_was_decided_and_more_than_once(
    mturk: "MTurkClient", submitted: Assignment, decided: str
) -> None:
    mturk.send_bonus(**bonus_of(submitted))
    if decided == "approve":
        mturk.approve_assignment(AssignmentId=submitted.assignment_id)
    else:
        mturk.reject_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="No.")
    mturk.send_bonus(**bonus_of(submitted, BonusAmount="2"))

    listed = mturk.list_bonus_payments(AssignmentId=submitted.assignment_id)["BonusPayments"]

    assert [one["BonusAmount"] for one in listed] == ["2.00", "0.50"]
    assert listed[0].items() >= bonus_of(submitted, BonusAmount="2.00").items()
    assert listed[0]["GrantTime"] >= listed[1]["GrantTime"]


def test_bonuses_of_a_hit_come_in_pages(mturk: "MTurkClient", submitted: Assignment) -> None:
    for cents in range(1, 4):
        mturk.send_bonus(**bonus_of(submitted, BonusAmount=f"0.0{cents}"))
    pages = mturk.get_paginator("list_bonus_payments").paginate(
        HITId=submitted.hit.hit_id, PaginationConfig={"PageSize": 2}
    )

    found = [one["BonusAmount"] for page in pages for one in page["BonusPayments"]]

    assert found == ["0.03", "0.02", "0.01"]


def test_the_same_token_pays_once(mturk: "MTurkClient", submitted: Assignment) -> None:
    given = bonus_of(submitted, UniqueRequestToken="second-half")
    mturk.send_bonus(**given)

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.send_bonus(**given)

    assert turk_code(refused.value) == "AWS.MechanicalTurk.DuplicateRequest"
    assert Bonus.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_with_one_token_one_pays(
    client_for: ClientFor, key: AccessKey, submitted: Assignment
) -> None:
    given = bonus_of(submitted, UniqueRequestToken="at once")
    starting = threading.Barrier(4)

    def send(_number: int) -> bool:
        try:
            client = client_for(key)
            starting.wait(30)
            client.send_bonus(**given)
        except ClientError as refused:
            assert turk_code(refused) == "AWS.MechanicalTurk.DuplicateRequest"
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(4) as pool:
        paid = list(pool.map(send, range(4)))

    assert sorted(paid) == [False, False, False, True]
    assert LedgerEntry.objects.filter(kind="bonus").count() == 1


@pytest.mark.django_db(transaction=True)
def test_bonuses_beside_approvals_take_what_is_free_and_no_more(
    client_for: ClientFor, key: AccessKey
) -> None:
    hit_type = make_hit_type(key.requester)
    make_hit(hit_type, max_assignments=4)
    done = [make_submitted(hit_type) for _ in range(4)]
    held = Requester.objects.get(pk=key.requester.pk).on_hold_usd
    credit_requester(
        requester=key.requester, amount_usd=Decimal("1.30") + held - key.requester.balance_usd
    )
    starting = threading.Barrier(8)

    def act(number: int) -> str:
        assignment = done[number % 4]
        try:
            client = client_for(key)
            starting.wait(30)
            if number < 4:
                client.approve_assignment(AssignmentId=assignment.assignment_id)
                return "approved"
            client.send_bonus(**bonus_of(assignment, UniqueRequestToken=f"bonus {number}"))
        except ClientError as refused:
            return turk_code(refused)
        finally:
            connection.close()
        return "paid"

    with ThreadPoolExecutor(8) as pool:
        outcomes = sorted(pool.map(act, range(8)))

    short = "AWS.MechanicalTurk.InsufficientFunds"
    assert outcomes == [short, short, *["approved"] * 4, "paid", "paid"]
    requester = Requester.objects.get(pk=key.requester.pk)
    assert (requester.balance_usd, requester.on_hold_usd) == (Decimal("0.10"), Decimal(0))
    assert sum(one.amount_usd for one in requester.ledger.all()) == requester.balance_usd
    assert Bonus.objects.count() == 2
    assert RequestToken.objects.filter(operation="SendBonus").count() == 2


def test_what_is_not_covered_is_not_paid(
    mturk: "MTurkClient", submitted: Assignment, key: AccessKey
) -> None:
    """What published HITs hold is no bonus's to take, and the token can be used again."""
    held = Requester.objects.get(pk=key.requester.pk).on_hold_usd
    Requester.objects.filter(pk=key.requester.pk).update(balance_usd=held + Decimal("1.19"))
    given = bonus_of(submitted, BonusAmount="1.00", UniqueRequestToken="later")

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.send_bonus(**given)

    assert turk_code(refused.value) == "AWS.MechanicalTurk.InsufficientFunds"
    assert not Bonus.objects.exists()
    Requester.objects.filter(pk=key.requester.pk).update(balance_usd=held + Decimal("1.20"))
    mturk.send_bonus(**given)


@pytest.mark.parametrize("amount", ["0", "0.00", "10000.01", "9" * 30])
def test_an_amount_that_can_never_be_right_is_refused(
    mturk: "MTurkClient", submitted: Assignment, amount: str
) -> None:
    with pytest.raises(ClientError) as refused:
        mturk.send_bonus(**bonus_of(submitted, BonusAmount=amount))

    assert error_code(refused.value) == "ParameterValidationError"
    assert "BonusAmount" in message(refused.value)


def test_the_reason_has_to_say_something(mturk: "MTurkClient", submitted: Assignment) -> None:
    with pytest.raises(ClientError, match="say what it is for"):
        mturk.send_bonus(**bonus_of(submitted, Reason="  "))


def test_only_who_submitted_gets_a_bonus(mturk: "MTurkClient", submitted: Assignment) -> None:
    make_hit(submitted.hit.hit_type)
    accepted = make_accepted(submitted.hit.hit_type)

    with pytest.raises(mturk.exceptions.RequestError) as early:
        mturk.send_bonus(**bonus_of(accepted))
    with pytest.raises(mturk.exceptions.RequestError) as other:
        mturk.send_bonus(**bonus_of(submitted, WorkerId=make_worker().worker_id))

    assert turk_code(early.value) == "AWS.MechanicalTurk.InvalidAssignmentState"
    assert turk_code(other.value) == "AWS.MechanicalTurk.AssignmentDoesNotExist"


def test_somebody_elses_assignment_is_not_there(
    client_for: ClientFor, submitted: Assignment
) -> None:
    stranger = client_for(make_key(make_requester()))

    for ask in (
        lambda: stranger.send_bonus(**bonus_of(submitted)),
        lambda: stranger.list_bonus_payments(AssignmentId=submitted.assignment_id),
        lambda: stranger.list_bonus_payments(HITId=submitted.hit.hit_id),
    ):
        with pytest.raises(ClientError, match="does not exist"):
            ask()


@pytest.mark.parametrize("both", [True, False])
def test_payments_are_of_a_hit_or_of_an_assignment(
    mturk: "MTurkClient", submitted: Assignment, both: bool
) -> None:
    given: Any = {"HITId": submitted.hit.hit_id, "AssignmentId": submitted.assignment_id}

    with pytest.raises(ClientError, match="either HITId or AssignmentId"):
        mturk.list_bonus_payments(**(given if both else {}))


def test_the_database_moves_the_money_of_a_bonus_once(
    mturk: "MTurkClient", submitted: Assignment
) -> None:
    mturk.send_bonus(**bonus_of(submitted))
    entry = LedgerEntry.objects.get(kind="bonus")
    entry.pk = None

    with pytest.raises(IntegrityError), transaction.atomic():
        entry.save()
