from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from marketplace.admin.base import ReadOnlyAdmin
from marketplace.models import Message


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin[Message]):
    list_display = ("subject", "requester", "worker", "sent_at", "read_at")
    list_select_related = ("requester", "worker")
    search_fields = ("=worker__worker_id", "requester__name")
    search_help_text = _("Worker id or requester")
