from django.contrib import admin

from marketplace.admin.base import MarketplaceAdmin
from marketplace.models import Worker


@admin.register(Worker)
class WorkerAdmin(MarketplaceAdmin[Worker]):
    """An earlier record and a country count for qualifications; each needs its source."""

    list_display = (
        "worker_id",
        "display_name",
        "country",
        "subdivision",
        "approved_before",
        "rejected_before",
        "record_source",
    )
    list_filter = ("country",)
    search_fields = ("worker_id", "display_name")
    fields = (
        "worker_id",
        "display_name",
        "user",
        ("country", "subdivision"),
        ("approved_before", "rejected_before"),
        "record_source",
    )
    readonly_fields = ("worker_id", "user")
