from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from marketplace.admin.base import MarketplaceAdmin
from marketplace.models import Worker
from marketplace.site.links import personal_link, replace_link


@admin.register(Worker)
class WorkerAdmin(MarketplaceAdmin[Worker]):
    """An earlier record and a country count for qualifications; each needs its source."""

    list_display = ("worker_id", "display_name", "place", "earlier_record", "record_source")
    search_fields = ("worker_id", "display_name", "=country")
    search_help_text = gettext_lazy("Worker id, name or country code")
    fieldsets = (
        (None, {"fields": ("worker_id", "display_name", "user")}),
        (
            gettext_lazy("Way in"),
            {
                "fields": ("link",),
                "description": gettext_lazy(
                    "For a worker who lost the link and the password: send it to that person only. "
                    "Whoever has it can work and read as this worker."
                ),
            },
        ),
        (
            gettext_lazy("Record on other marketplaces"),
            {
                "fields": (
                    ("country", "subdivision"),
                    ("approved_before", "rejected_before"),
                    "record_source",
                )
            },
        ),
    )
    readonly_fields = ("worker_id", "user", "link")
    actions = ("replace_links",)

    def get_fieldsets(self, request: HttpRequest, obj: Worker | None = None) -> Any:
        """The link signs in as the worker, so it is for those who may change the worker."""
        if obj is not None and self.has_change_permission(request, obj):
            return self.fieldsets
        return [part for part in self.fieldsets if "link" not in part[1]["fields"]]

    @admin.display(description=gettext_lazy("personal link"))
    def link(self, worker: Worker) -> str:
        if worker.user is None or not worker.user.is_active:
            return _("None: the worker has no account, or it is closed.")
        if worker.user.is_staff or worker.user.is_superuser:
            return _("None: this account may open the admin pages and signs in with its password.")
        return personal_link(worker)

    @admin.display(description=gettext_lazy("country"), ordering="country")
    def place(self, worker: Worker) -> str:
        return ", ".join(filter(None, (worker.country, worker.subdivision))) or "–"

    @admin.display(description=gettext_lazy("earlier record"), ordering="approved_before")
    def earlier_record(self, worker: Worker) -> str:
        if not worker.approved_before and not worker.rejected_before:
            return "–"
        return _("%(approved)s approved, %(rejected)s rejected") % {
            "approved": f"{worker.approved_before:,}",
            "rejected": f"{worker.rejected_before:,}",
        }

    @admin.action(
        description=gettext_lazy("Make new personal links; the old ones stop working"),
        permissions=["change"],
    )
    def replace_links(self, request: HttpRequest, workers: QuerySet[Worker]) -> None:
        chosen = list(workers)
        for worker in chosen:
            replace_link(worker=worker)
        self.message_user(
            request,
            ngettext(
                "%(count)d worker has a new personal link; it is on the worker's page.",
                "%(count)d workers have new personal links; they are on the workers' pages.",
                len(chosen),
            )
            % {"count": len(chosen)},
        )
