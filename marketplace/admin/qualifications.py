from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from marketplace.admin.base import ReadOnlyAdmin
from marketplace.models import QualificationGrant, QualificationType, WorkerBlock


@admin.register(QualificationType)
class QualificationTypeAdmin(ReadOnlyAdmin[QualificationType]):
    list_display = (
        "name",
        "qualification_type_id",
        "requester",
        "status",
        "created_at",
        "deleted_at",
    )
    list_select_related = ("requester",)
    search_fields = ("name", "=qualification_type_id")
    search_help_text = _("Name or qualification type id")


@admin.register(QualificationGrant)
class QualificationGrantAdmin(ReadOnlyAdmin[QualificationGrant]):
    list_display = ("worker", "qualification_type", "value", "status", "granted_at", "reason")
    list_select_related = ("worker", "qualification_type")
    list_filter = ("status",)
    search_fields = ("=worker__worker_id", "qualification_type__name")
    search_help_text = _("Worker id or name of the qualification type")


@admin.register(WorkerBlock)
class WorkerBlockAdmin(ReadOnlyAdmin[WorkerBlock]):
    list_display = ("worker", "requester", "created_at", "reason")
    list_select_related = ("worker", "requester")
    search_fields = ("=worker__worker_id", "requester__name")
    search_help_text = _("Worker id or requester")
