from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from marketplace.admin.base import MarketplaceAdmin
from marketplace.limits import MOST_USD
from marketplace.models import LedgerEntry
from marketplace.services.funds import credit_requester
from marketplace.site.words import usd


class CreditForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable when it runs
    """Gives a requester funds, or takes free ones back."""

    class Meta:
        model = LedgerEntry
        fields = ("requester", "amount_usd", "note")

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        requester, amount_usd = values.get("requester"), values.get("amount_usd")
        if requester and amount_usd and requester.balance_usd + amount_usd > MOST_USD:
            self.add_error(
                "amount_usd",
                _("An account holds at most %(most)s USD.") % {"most": f"{MOST_USD:,}"},
            )
        elif requester and amount_usd and requester.available_usd + amount_usd < 0:
            self.add_error(
                "amount_usd",
                _("Only %(free)s USD are free to be taken back.")
                % {"free": requester.available_usd},
            )
        return values


@admin.register(LedgerEntry)
class LedgerEntryAdmin(MarketplaceAdmin[LedgerEntry]):
    """Append-only: adding one here is a credit."""

    list_display = ("created_at", "requester", "kind", "amount", "worker", "about")
    list_select_related = ("requester", "worker", "bonus")
    list_filter = ("kind",)
    search_fields = ("requester__name", "worker__worker_id")
    search_help_text = gettext_lazy("Requester or worker id")

    @admin.display(description=gettext_lazy("amount"), ordering="amount_usd")
    def amount(self, entry: LedgerEntry) -> str:
        return usd(entry.amount_usd)

    @admin.display(description=gettext_lazy("note"), ordering="note")
    def about(self, entry: LedgerEntry) -> str:
        return entry.bonus.reason if entry.bonus else entry.note

    def get_form(
        self, request: HttpRequest, obj: LedgerEntry | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        if obj is None:
            kwargs["form"] = CreditForm
        return super().get_form(request, obj, *args, **kwargs)

    def get_fields(self, request: HttpRequest, obj: LedgerEntry | None = None) -> Any:
        if obj is None:
            return ("requester", "amount_usd", "note")
        return ("created_at", "requester", "kind", "amount_usd", "worker", "assignment", "about")

    def save_model(self, request: HttpRequest, obj: LedgerEntry, form: Any, change: bool) -> None:
        entry = credit_requester(requester=obj.requester, amount_usd=obj.amount_usd, note=obj.note)
        obj.pk = entry.pk

    def has_change_permission(self, request: HttpRequest, obj: LedgerEntry | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: LedgerEntry | None = None) -> bool:
        return False
