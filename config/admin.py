from typing import TYPE_CHECKING

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from config.audit_words import action_words
from config.models import AuditEntry
from studies.admin.base import ModelAdmin, ReadOnlyAdmin, moment

if TYPE_CHECKING:
    DjangoUserAdmin = UserAdmin[User]
else:
    DjangoUserAdmin = UserAdmin

admin.site.index_title = _("Overview")
admin.site.empty_value_display = "–"
admin.site.unregister([User, Group, EmailAddress])


@admin.register(User)
class AccountAdmin(DjangoUserAdmin, ModelAdmin):
    """Who may sign in, and what they may do. Plain lists to choose from: they work by keyboard."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")


@admin.register(Group)
class AccountGroupAdmin(GroupAdmin, ModelAdmin):
    filter_horizontal = ()


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """Read-only. Security: staff who may see audit entries."""

    list_display = ["when", "actor", "origin", "what", "target", "address"]
    list_filter = ["origin", ("at", admin.DateFieldListFilter)]
    search_fields = ["actor", "action", "target", "address", "request_id"]
    search_help_text = _("Who, what, address or request id")
    list_per_page = 50
    fields = ["when", "actor", "origin", "what", "target", "details", "address"]
    fields += ["actor_pk", "request_id", "action"]
    readonly_fields = ["when", "what", "details"]

    @admin.display(description=_("when"), ordering="at")
    def when(self, entry: AuditEntry) -> str:
        return moment(entry.at)

    @admin.display(description=_("what"), ordering="action")
    def what(self, entry: AuditEntry) -> str:
        return action_words(entry.action)

    @admin.display(description=_("details"))
    def details(self, entry: AuditEntry) -> str:
        return format_html_join("", "<p>{}</p>", ((line,) for line in entry.detail))
