"""Becoming a worker: by invitation link, or with an account that is not a worker's yet."""

from uuid import uuid4

from django.contrib import messages
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from marketplace.errors import InvitationNotUsable
from marketplace.models import Invitation, Worker
from marketplace.services.workers import sign_in_by_invitation, worker_for_user
from marketplace.site.access import current_worker
from marketplace.site.forms import JoinForm
from marketplace.site.sign_in import sign_in

# A form sent twice (a double click, a retry) makes one worker.
SAME_FORM_FOR_SECONDS = 600


@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation: GET says who invites and to what, POST makes a worker and signs them in.

    Security: whoever has the link, while it is valid; else a page that says why not (410, or 404
    for one that never was). Who is a worker already is told so, and the invitation stays unused.
    """
    here = current_worker(request)
    if here is not None:
        return render(request, "worker/joined_already.html", {"worker": here})
    invitation = Invitation.objects.select_related("requester").filter(token=token).first()
    if refusal := why_not_usable(invitation):
        status = 410 if invitation else 404
        return render(request, "worker/join_refused.html", {"reason": refusal}, status=status)
    form = JoinForm(request.POST or None, initial={"attempt": uuid4().hex})
    if request.method == "POST" and form.is_valid():
        try:
            worker = worker_of_attempt(token, **form.cleaned_data)
        except InvitationNotUsable as error:
            context = {"reason": error.message}
            return render(request, "worker/join_refused.html", context, status=410)
        sign_in(request, worker)
        return redirect(f"{reverse('worker-account')}?welcome=1")
    return render(request, "worker/join.html", {"invitation": invitation, "form": form})


def why_not_usable(invitation: Invitation | None) -> str:
    """Why nobody can join with it; "" when somebody can."""
    if invitation is None:
        return _("The link is not complete, or it was never valid. Copy all of it and try again.")
    if invitation.revoked_at:
        return _("It was withdrawn by whoever sent it.")
    if invitation.expires_at and invitation.expires_at <= timezone.now():
        return _("It was valid for a limited time, which is over.")
    if invitation.max_uses is not None and invitation.uses >= invitation.max_uses:
        return _("As many people as it was meant for have joined with it.")
    return ""


@transaction.atomic
def worker_of_attempt(token: str, *, display_name: str, attempt: str) -> Worker:
    """The worker that this form makes, or has made already. Raises InvitationNotUsable."""
    # Held until the worker is there, so that the same form sent twice at once waits for it.
    Invitation.objects.select_for_update(no_key=True).filter(token=token).first()
    key = f"join:{token}:{attempt}"
    made = Worker.objects.filter(worker_id=cache.get(key, "")).select_related("user").first()
    if made is not None:
        return made
    worker = sign_in_by_invitation(token=token, display_name=display_name)
    cache.set(key, worker.worker_id, SAME_FORM_FOR_SECONDS)
    return worker


@never_cache
def start(request: HttpRequest) -> HttpResponse:
    """Make a worker of a signed-in account.

    Security: signed-in accounts; workers go to their list, everybody else to the sign-in page.
    """
    if not request.user.is_authenticated:
        return redirect("worker-sign-in")
    if current_worker(request) is None:
        if request.method != "POST":
            return render(request, "worker/start.html")
        worker_for_user(request.user)
        messages.success(request, _("You can accept tasks now."))
    return redirect("worker-list")
