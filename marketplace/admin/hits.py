from django.contrib import admin

from marketplace.admin.base import ReadOnlyAdmin
from marketplace.models import HIT, Assignment, HITType


@admin.register(HITType)
class HITTypeAdmin(ReadOnlyAdmin[HITType]):
    list_display = ("title", "requester", "reward_usd", "available_count", "created_at")
    list_select_related = ("requester",)
    search_fields = ("title", "hit_type_id", "requester__name")


@admin.register(HIT)
class HITAdmin(ReadOnlyAdmin[HIT]):
    list_display = (
        "hit_id",
        "hit_type",
        "status",
        "max_assignments",
        "available",
        "pending",
        "submitted",
        "completed",
        "expires_at",
    )
    list_select_related = ("hit_type",)
    list_filter = ("status",)
    search_fields = ("=hit_id", "=hit_type__hit_type_id")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin[Assignment]):
    list_display = ("assignment_id", "worker", "hit", "status", "accepted_at", "submitted_at")
    list_select_related = ("worker", "hit")
    list_filter = ("status",)
    search_fields = ("=assignment_id", "=worker__worker_id", "=hit__hit_id")
