"""The admin's first page: the studies and where their open rounds stand."""

from typing import Any

from django.http import HttpRequest

from studies.admin.base import visible
from studies.admin.round_page import state_badge
from studies.models import Round, RoundState, Study
from studies.services.round_figures import attach_counts

SHOWN = 12


def show(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Three queries: rounds that are not closed, their counts, and whether there is any study.

    Security: shown only to staff who may see rounds; unfold calls this for the admin's index.
    """
    if not request.user.has_perm("studies.view_round"):
        return context
    rounds = visible(request, Round).filter(past=False).exclude(state=RoundState.CLOSED)
    shown = list(rounds.select_related("study").order_by("-pk")[:SHOWN])
    counted_at = attach_counts(shown)
    return {
        **context,
        "show_studies": True,
        "first_use": not visible(request, Study).exists(),
        "open_rounds": [(round, state_badge(round)) for round in shown],
        "counted_at": counted_at,
    }
