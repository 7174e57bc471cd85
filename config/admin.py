from django.contrib import admin

from config.models import AuditEntry
from studies.admin.base import ReadOnlyAdmin


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """Read-only. Security: staff who may see audit entries."""

    list_display = ["at", "actor", "origin", "action", "target", "address"]
    list_filter = ["origin", ("at", admin.DateFieldListFilter), "actor"]
    search_fields = ["actor", "action", "target", "address", "request_id"]
    date_hierarchy = "at"
    list_per_page = 50
    show_full_result_count = False
