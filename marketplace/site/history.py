"""What a worker did, and what it earned."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from marketplace.models import Assignment, HITType, LedgerEntry, Worker
from marketplace.site.access import worker_required
from marketplace.site.words import usd

ON_A_PAGE = 25
Status = Assignment.Status
FILTERS: dict[str, tuple[Promise, tuple[str, ...]]] = {
    "all": (_("All"), tuple(Status)),
    "waiting": (_("Waiting for a decision"), (Status.SUBMITTED,)),
    "approved": (_("Approved"), (Status.APPROVED,)),
    "rejected": (_("Rejected"), (Status.REJECTED,)),
    "not-submitted": (_("Not submitted"), Assignment.GIVEN_UP),
}


@dataclass(frozen=True)
class Earnings:
    approved_usd: Decimal
    bonus_usd: Decimal
    waiting_usd: Decimal
    rejected_usd: Decimal

    @property
    def approved(self) -> str:
        return usd(self.approved_usd)

    @property
    def bonus(self) -> str:
        return usd(self.bonus_usd) if self.bonus_usd else ""

    @property
    def waiting(self) -> str:
        return usd(self.waiting_usd)

    @property
    def rejected(self) -> str:
        return usd(self.rejected_usd)


@worker_required
def history(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Every assignment with its state, pay and feedback.

    Security: a worker sees their own; signed-out people are sent to sign in.
    """
    chosen = request.GET.get("show", "")
    chosen = chosen if chosen in FILTERS else "all"
    rows = worker.assignments.filter(status__in=FILTERS[chosen][1])
    rows = rows.select_related("hit__hit_type__requester").prefetch_related("bonuses")
    page = Paginator(rows.order_by("-id"), ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "worker": worker,
        "section": "history",
        "page": page,
        "alike": alike(worker, page.object_list),
        "earnings": earnings_of(worker),
        "chosen": chosen,
        "filters": [(key, name) for key, (name, _statuses) in FILTERS.items()],
    }
    return render(request, "worker/history.html", context)


def alike(worker: Worker, rows: Iterable[Assignment]) -> set[int]:
    """The HIT types of these rows that neither title nor requester tells from another one that the
    worker has worked on."""
    shown = {row.hit.hit_type for row in rows}
    mine = worker.assignments.filter(hit__hit_type=OuterRef("pk"))
    titled = HITType.objects.filter(
        Exists(mine),
        title__in={hit_type.title for hit_type in shown},
        requester__in={hit_type.requester_id for hit_type in shown},
    )
    named = Counter(titled.values_list("title", "requester_id"))
    return {one.pk for one in shown if named[one.title, one.requester_id] > 1}


def earnings_of(worker: Worker) -> Earnings:
    """What was paid comes from the ledger; what is waiting or was refused from the rewards."""
    entries = LedgerEntry.objects.filter(worker=worker).order_by().values_list("kind")
    taken = dict(entries.annotate(sum=Sum("amount_usd")))
    return Earnings(
        approved_usd=-taken.get(LedgerEntry.Kind.REWARD, Decimal(0)),
        bonus_usd=-taken.get(LedgerEntry.Kind.BONUS, Decimal(0)),
        waiting_usd=_rewards(worker, Status.SUBMITTED),
        rejected_usd=_rewards(worker, Status.REJECTED),
    )


def _rewards(worker: Worker, status: str) -> Decimal:
    total = worker.assignments.filter(status=status).aggregate(sum=Sum("hit__hit_type__reward_usd"))
    return total["sum"] or Decimal(0)
