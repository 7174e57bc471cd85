"""A worker's own page: name, personal link, user name and password."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from marketplace.models import Worker
from marketplace.services.groups import facts_of
from marketplace.site.access import worker_required
from marketplace.site.forms import AccountForm, NameForm
from marketplace.site.links import personal_link, replace_link


@worker_required
def account(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Security: a worker sees their own; signed-out people are sent to sign in."""
    return account_page(request, worker)


@require_POST
@worker_required
def rename(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Security: a worker changes their own name."""
    form = NameForm(request.POST, instance=worker)
    if not form.is_valid():
        return account_page(request, worker, name_form=form)
    form.save()
    messages.success(request, _("Your name is saved."))
    return redirect("worker-account")


@sensitive_post_parameters()
@require_POST
@worker_required
def set_password(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Security: a worker changes their own; a password there is has to be given first."""
    form = AccountForm(request.POST, instance=fresh_user(worker))
    if not form.is_valid():
        return account_page(request, worker, account_form=form)
    update_session_auth_hash(request, form.save())
    messages.success(request, _("You can sign in with this user name and password from now on."))
    return redirect("worker-account")


@require_POST
@worker_required
def new_link(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Security: a worker replaces their own link."""
    replace_link(worker=worker)
    messages.success(request, _("Here is your new link. The one before no longer works."))
    return redirect("worker-account")


def fresh_user(worker: Worker) -> User:
    """A copy, so that a form that is refused leaves nothing behind on the one in the session."""
    return User.objects.get(worker=worker)


def account_page(
    request: HttpRequest,
    worker: Worker,
    *,
    name_form: NameForm | None = None,
    account_form: AccountForm | None = None,
) -> HttpResponse:
    user = fresh_user(worker)
    refused = name_form is not None or account_form is not None
    context = {
        "worker": worker,
        "section": "account",
        "welcome": "welcome" in request.GET,
        "personal_link": "" if user.is_staff or user.is_superuser else personal_link(worker),
        "facts": facts_of(worker),
        "name_form": name_form or NameForm(instance=worker),
        "account_form": account_form or AccountForm(instance=user),
        "has_password": user.has_usable_password(),
    }
    return render(request, "worker/account.html", context, status=422 if refused else 200)
