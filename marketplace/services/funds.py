"""A requester's funds: held when HITs are published, taken when work is approved; a bonus is taken
at once."""

from decimal import Decimal

from django.db import transaction
from django.db.models import F

from marketplace.errors import InsufficientFunds
from marketplace.limits import fee_usd
from marketplace.models import Assignment, Bonus, HITType, LedgerEntry, Requester


def change_hold(*, requester_pk: int, by_usd: Decimal) -> None:
    """Raises InsufficientFunds when the balance does not cover the new hold."""
    if by_usd == 0:
        return
    changed = Requester.objects.filter(pk=requester_pk)
    if by_usd > 0:
        changed = changed.filter(balance_usd__gte=F("on_hold_usd") + by_usd)
    if not changed.update(on_hold_usd=F("on_hold_usd") + by_usd):
        raise InsufficientFunds


@transaction.atomic
def credit_requester(*, requester: Requester, amount_usd: Decimal, note: str = "") -> LedgerEntry:
    """Give funds, or take unheld ones back with a negative amount.

    Raises InsufficientFunds when that would leave published HITs without cover.
    """
    _move(requester.pk, amount_usd)
    return LedgerEntry.objects.create(
        requester=requester, kind=LedgerEntry.Kind.CREDIT, amount_usd=amount_usd, note=note
    )


def pay_assignment(*, assignment: Assignment, hit_type: HITType) -> None:
    """Move reward and fee; the ledger's unique key lets it happen once."""
    _move(hit_type.requester_id, -hit_type.cost_usd)
    LedgerEntry.objects.create(
        requester_id=hit_type.requester_id,
        kind=LedgerEntry.Kind.REWARD,
        amount_usd=-hit_type.reward_usd,
        worker_id=assignment.worker_id,
        assignment=assignment,
    )
    LedgerEntry.objects.create(
        requester_id=hit_type.requester_id,
        kind=LedgerEntry.Kind.FEE,
        amount_usd=-hit_type.fee_usd,
        assignment=assignment,
    )


def pay_bonus(*, bonus: Bonus, requester: Requester) -> None:
    """Move amount and fee. Raises InsufficientFunds when they are not covered."""
    fee = fee_usd(bonus.amount_usd)
    _move(requester.pk, -(bonus.amount_usd + fee))
    about = {"requester": requester, "assignment": bonus.assignment, "bonus": bonus}
    LedgerEntry.objects.create(
        **about,
        kind=LedgerEntry.Kind.BONUS,
        amount_usd=-bonus.amount_usd,
        worker_id=bonus.assignment.worker_id,
    )
    LedgerEntry.objects.create(**about, kind=LedgerEntry.Kind.FEE, amount_usd=-fee)


def _move(requester_pk: int, amount_usd: Decimal) -> None:
    covered = Requester.objects.filter(
        pk=requester_pk, balance_usd__gte=F("on_hold_usd") - amount_usd
    )
    if not covered.update(balance_usd=F("balance_usd") + amount_usd):
        raise InsufficientFunds
