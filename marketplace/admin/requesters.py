from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from marketplace.admin.base import MarketplaceAdmin
from marketplace.models import AccessKey, Invitation, Requester


@admin.register(Requester)
class RequesterAdmin(MarketplaceAdmin[Requester]):
    list_display = ("name", "requester_id", "balance", "on_hold", "available")
    search_fields = ("name", "requester_id")
    search_help_text = gettext_lazy("Name or requester id")
    fields = ("name", "requester_id", "signing_secret", "balance", "on_hold", "available")
    readonly_fields = ("requester_id", "balance", "on_hold", "available")
    actions = ("make_key",)

    def get_fields(self, request: HttpRequest, obj: Requester | None = None) -> Any:
        """The secret is for who may set it: whoever reads it can sign in the requester's name."""
        if self.has_change_permission(request, obj) or self.has_add_permission(request):
            return self.fields
        return [name for name in self.fields if name != "signing_secret"]

    def has_make_key_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("marketplace.add_accesskey")

    @admin.display(description=gettext_lazy("balance"), ordering="balance_usd")
    def balance(self, requester: Requester) -> str:
        return f"${requester.balance_usd:,.2f}"

    @admin.display(description=gettext_lazy("on hold for published HITs"), ordering="on_hold_usd")
    def on_hold(self, requester: Requester) -> str:
        return f"${requester.on_hold_usd:,.2f}"

    @admin.display(description=gettext_lazy("available"))
    def available(self, requester: Requester) -> str:
        return f"${requester.available_usd:,.2f}"

    @admin.action(
        description=gettext_lazy("Make a key (its secret is shown once)"), permissions=["make_key"]
    )
    def make_key(self, request: HttpRequest, requesters: QuerySet[Requester]) -> None:
        for requester in requesters:
            key = AccessKey.objects.create(requester=requester)
            self.message_user(
                request,
                _(
                    "A key for %(name)s. Access key id: %(id)s. Secret access key: %(secret)s. "
                    "Copy the secret now; it is not shown again."
                )
                % {"name": requester, "id": key.access_key_id, "secret": key.secret_access_key},
                messages.SUCCESS,
            )


@admin.register(AccessKey)
class AccessKeyAdmin(MarketplaceAdmin[AccessKey]):
    """Keys are made from the list of requesters; here they are switched on and off."""

    list_display = ("access_key_id", "requester", "is_active", "created_at")
    list_select_related = ("requester",)
    list_filter = ("is_active",)
    search_fields = ("access_key_id", "requester__name")
    search_help_text = gettext_lazy("Access key id or requester")
    fields = ("access_key_id", "requester", "is_active", "created_at")
    readonly_fields = ("access_key_id", "requester", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Invitation)
class InvitationAdmin(MarketplaceAdmin[Invitation]):
    list_display = ("label", "link", "uses", "max_uses", "expires_at", "revoked_at")
    fields = ("label", "requester", "max_uses", "expires_at", "link", "uses", "revoked_at")
    readonly_fields = ("link", "uses", "revoked_at")
    search_fields = ("label",)
    search_help_text = gettext_lazy("Label")
    actions = ("withdraw",)

    def get_list_display(self, request: HttpRequest) -> Any:
        return self._shown(request, self.list_display)

    def get_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Any:
        return self._shown(request, self.fields)

    def _shown(self, request: HttpRequest, names: tuple[str, ...]) -> list[str]:
        """The link lets in whoever has it, so it is for those who give it out."""
        may_invite = self.has_add_permission(request) or self.has_change_permission(request)
        return [name for name in names if name != "link" or may_invite]

    @admin.display(description=gettext_lazy("link"))
    def link(self, invitation: Invitation) -> str:
        if invitation.pk is None:
            return _("Shown once it is saved.")
        path = reverse("worker-join", args=[invitation.token])
        return f"{settings.WORKER_SITE_URL}{path}"

    @admin.action(
        description=gettext_lazy("Withdraw the selected invitations"), permissions=["change"]
    )
    def withdraw(self, request: HttpRequest, invitations: QuerySet[Invitation]) -> None:
        count = invitations.filter(revoked_at=None).update(revoked_at=timezone.now())
        self.message_user(request, _("Withdrawn: %(count)d.") % {"count": count})
