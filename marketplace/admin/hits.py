from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from marketplace.admin.base import ReadOnlyAdmin
from marketplace.models import HIT, Assignment, HITType
from marketplace.site.words import length_words, usd


@admin.register(HITType)
class HITTypeAdmin(ReadOnlyAdmin[HITType]):
    list_display = ("title", "requester", "reward", "available_count", "created_at")
    list_select_related = ("requester",)
    search_fields = ("title", "hit_type_id", "requester__name")
    search_help_text = _("Title, HIT type id or requester")
    exclude = ("assignment_duration", "auto_approval_delay")
    readonly_fields = ("time_allowed", "decided_within")

    @admin.display(description=_("reward"), ordering="reward_usd")
    def reward(self, hit_type: HITType) -> str:
        return usd(hit_type.reward_usd)

    @admin.display(description=_("time allowed"))
    def time_allowed(self, hit_type: HITType) -> str:
        return length_words(hit_type.assignment_duration)

    @admin.display(description=_("approved at the latest after"))
    def decided_within(self, hit_type: HITType) -> str:
        return length_words(hit_type.auto_approval_delay)


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
    search_help_text = _("HIT id or HIT type id")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin[Assignment]):
    list_display = ("assignment_id", "worker", "hit", "status", "accepted_at", "submitted_at")
    list_select_related = ("worker", "hit")
    list_filter = ("status",)
    search_fields = ("=assignment_id", "=worker__worker_id", "=hit__hit_id")
    search_help_text = _("Assignment, worker or HIT id")
