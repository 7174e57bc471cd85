"""The page of a result file: how it was read, what came of it; and taking it back."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminTextInputWidget

from evaluation.models import Item, Rating, ResultFile
from evaluation.services.withdrawing import LONGEST_WHY, AlreadyWithdrawn, withdraw_results
from studies.admin.base import ModelAdmin, find, require

SEE, CHANGE = "evaluation.view_resultfile", "evaluation.change_resultfile"


class WithdrawForm(forms.Form):
    why = forms.CharField(
        label=gettext_lazy("Why"),
        max_length=LONGEST_WHY,
        help_text=gettext_lazy("Kept with the file, such as: the system was another one."),
        widget=UnfoldAdminTextInputWidget,
        error_messages={"required": gettext_lazy("Say why it is withdrawn.")},
    )


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """Security: staff who may see result files, of a study they research; others get 403 or 404."""
    require(request, SEE)
    file = _find(request, object_id)
    return admin.page(
        request,
        "admin/evaluation/result_file/page.html",
        title=file.name,
        original=file,
        file=file,
        read=_read(file),
        items=_items(file),
        ratings=_ratings(file),
        may_withdraw=file.withdrawn_at is None and request.user.has_perm(CHANGE),
    )


def withdraw(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Ask first; by POST the file's ratings count no more.

    Security: staff who may change result files, of a study they research; others get 403 or 404.
    """
    user = require(request, CHANGE)
    file = _find(request, object_id)
    form = WithdrawForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return _ask(admin, request, file, form)
    try:
        withdraw_results(file=file, why=form.cleaned_data["why"], user=user)
    except AlreadyWithdrawn as refusal:
        messages.warning(request, str(refusal))
    else:
        admin.log_change(request, file, _("Withdrawn: %(why)s") % form.cleaned_data)
        messages.success(
            request, _("Withdrawn. Its ratings count no more; the file can be imported again.")
        )
    address = reverse("admin:evaluation_resultfile_change", args=[file.pk])
    return HttpResponseRedirect(address, status=303)


def _ask(
    admin: ModelAdmin, request: HttpRequest, file: ResultFile, form: WithdrawForm
) -> HttpResponse:
    return admin.page(
        request,
        "admin/evaluation/result_file/withdraw.html",
        title=_("Withdraw a result file"),
        status=422 if form.is_bound else 200,
        original=file,
        file=file,
        form=form,
        items=_items(file),
        ratings=_ratings(file),
    )


def _find(request: HttpRequest, object_id: Any) -> ResultFile:
    rows = ResultFile.objects.select_related("study", "instrument", "imported_by", "withdrawn_by")
    return find(request, rows, object_id)


def _items(file: ResultFile) -> int:
    return Item.objects.filter(result_file=file).count()


def _ratings(file: ResultFile) -> int:
    return Rating.objects.filter(item__result_file=file).count()


def _read(file: ResultFile) -> list[tuple[str, str, bool]]:
    """Each question, the columns it was read from, and whether in the reverse order."""
    read = []
    for question, found in file.columns.items():
        columns = found["columns"]
        names = columns if isinstance(columns, str) else f"{columns[0]} … {columns[-1]}"
        read.append((question, names, found["reversed"]))
    return read
