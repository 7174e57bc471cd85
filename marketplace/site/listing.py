from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from marketplace.models import Worker
from marketplace.services.groups import held_by_group, hit_groups_open_to
from marketplace.site.access import worker_required
from marketplace.site.offers import Offer, offers_of
from marketplace.site.words import hourly_usd

ON_A_PAGE = 20
Rank = Callable[[Offer], Decimal | int]


def hourly(offer: Offer) -> Decimal:
    if offer.typical is None:
        return Decimal(-1)
    return hourly_usd(offer.hit_type.reward_usd, offer.typical)


RANKS: dict[str, tuple[Promise, Rank]] = {
    "newest": (_("Newest"), lambda offer: offer.hit_type.pk),
    "reward": (_("Reward"), lambda offer: offer.hit_type.reward_usd),
    "hourly": (_("Hourly pay"), hourly),
    "left": (_("Most left"), lambda offer: offer.group.available),
}


@worker_required
def hit_list(request: HttpRequest, worker: Worker) -> HttpResponse:
    """What the worker is doing, what they can accept, and what is closed to them and why.

    Security: a worker sees their own assignments and every group but those hidden from them by a
    requirement that guards discovery; signed-out people are sent to sign in.
    """
    held = sorted(held_by_group(worker).values(), key=lambda assignment: assignment.deadline)
    offers = [offer for offer in offers_of(worker, hit_groups_open_to(worker)) if offer.ends_at]
    order = request.GET.get("order", "")
    order = order if order in RANKS else "newest"
    open_offers = sorted((o for o in offers if o.is_open), key=RANKS[order][1], reverse=True)
    context = {
        "worker": worker,
        "section": "list",
        "held": held,
        "page": Paginator(open_offers, ON_A_PAGE).get_page(request.GET.get("page")),
        "closed": [offer for offer in offers if offer.reasons and not offer.group.held],
        "order": order,
        "orders": [(key, name) for key, (name, _rank) in RANKS.items()],
        "soon": timedelta(minutes=5),
    }
    return render(request, "worker/list.html", context)
