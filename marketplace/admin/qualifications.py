from django.contrib import admin

from marketplace.admin.base import ReadOnlyAdmin
from marketplace.models import QualificationGrant, QualificationType


@admin.register(QualificationType)
class QualificationTypeAdmin(ReadOnlyAdmin[QualificationType]):
    list_display = ("name", "qualification_type_id", "requester", "status", "created_at")
    list_select_related = ("requester",)
    search_fields = ("name", "=qualification_type_id")


@admin.register(QualificationGrant)
class QualificationGrantAdmin(ReadOnlyAdmin[QualificationGrant]):
    list_display = ("worker", "qualification_type", "value", "status", "granted_at", "reason")
    list_select_related = ("worker", "qualification_type")
    list_filter = ("status",)
    search_fields = ("=worker__worker_id", "qualification_type__name")
