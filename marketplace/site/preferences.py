"""Whether the next HIT of a group is accepted at once after a submit; kept in the session."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from marketplace.models import Worker
from marketplace.site.access import worker_required

KEY = "accept_next_at_once"


def accepts_next(request: HttpRequest) -> bool:
    return bool(request.session.get(KEY, False))


def remember_accepts_next(request: HttpRequest) -> None:
    """Keep the tick box of a form that showed it; an unticked box is not sent by browsers."""
    ticked = "accepts_next" in request.POST
    if "accepts_next_shown" in request.POST and ticked != accepts_next(request):
        request.session[KEY] = ticked


@require_POST
@worker_required
def preferences(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Keep the tick box beside the timer. Security: the worker's own session."""
    remember_accepts_next(request)
    return HttpResponse(status=204)
