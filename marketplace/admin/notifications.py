from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from marketplace.admin.base import ReadOnlyAdmin
from marketplace.models import Notification, NotificationDestination, NotificationSetting
from marketplace.services.delivery import retry_now


@admin.register(Notification)
class NotificationAdmin(ReadOnlyAdmin[Notification]):
    list_display = (
        "event",
        "event_at",
        "destination",
        "assignment_id",
        "attempts",
        "delivered_at",
        "next_attempt_at",
        "last_error",
    )
    list_select_related = ("destination",)
    list_filter = (("delivered_at", admin.EmptyFieldListFilter), "event")
    search_fields = ("=assignment_id", "=hit_id")
    search_help_text = gettext_lazy("Assignment id or HIT id")


@admin.register(NotificationDestination)
class NotificationDestinationAdmin(ReadOnlyAdmin[NotificationDestination]):
    list_display = ("url", "requester", "failures", "next_attempt_at", "last_error")
    list_select_related = ("requester",)
    actions = ("try_again",)

    def has_try_again_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("marketplace.change_notificationdestination")

    @admin.action(description=gettext_lazy("Try again now"), permissions=["try_again"])
    def try_again(
        self, request: HttpRequest, destinations: QuerySet[NotificationDestination]
    ) -> None:
        for destination in destinations:
            retry_now(destination=destination, at=timezone.now())
        self.message_user(request, _("The clock delivers them within seconds."))


@admin.register(NotificationSetting)
class NotificationSettingAdmin(ReadOnlyAdmin[NotificationSetting]):
    list_display = ("hit_type", "destination", "event_types", "is_active")
    list_select_related = ("hit_type", "destination")
