from typing import TYPE_CHECKING, Any

from allauth.account.models import EmailAddress
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from config.audit_words import action_words
from config.models import ApiToken, AuditEntry
from config.tokens import make_token, revoke_tokens
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


@admin.register(ApiToken)
class ApiTokenAdmin(ModelAdmin):
    """Everybody's own; superusers see all. A token cannot be changed, only revoked."""

    list_display = ["label", "user", "made", "revoked"]
    list_select_related = ["user"]
    fields = ["label"]
    actions = ["revoke"]
    empty_title = _("No token yet")
    empty_text = _("A program that uses the API signs in with a token.")
    empty_next = (_("Make a token"), "admin:config_apitoken_add")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        rows: QuerySet[ApiToken] = super().get_queryset(request)
        return rows if request.user.is_superuser else rows.filter(user=request.user.pk)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        assert isinstance(request.user, User), "signed in"
        made, secret = make_token(user=request.user, label=obj.label)
        obj.pk, obj.user = made.pk, made.user
        text = _("This is the token. Copy it now, it is not shown again: %(secret)s")
        messages.success(request, text % {"secret": secret})

    def add_view(
        self,
        request: HttpRequest,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """There is nothing to go on with once it is made: it is read on the list."""
        only_save = {"show_save_and_continue": False, "show_save_and_add_another": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **only_save})

    def response_add(
        self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None
    ) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:config_apitoken_changelist"))

    @admin.action(description=_("Revoke"), permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        revoke_tokens(tokens=queryset)
        messages.success(request, _("The tokens are revoked."))

    @admin.display(description=_("made"), ordering="created_at")
    def made(self, token: ApiToken) -> str:
        return moment(token.created_at)

    @admin.display(description=_("revoked"), ordering="revoked_at")
    def revoked(self, token: ApiToken) -> str:
        return moment(token.revoked_at)


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
