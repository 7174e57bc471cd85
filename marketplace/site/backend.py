from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Q, QuerySet

from database.prepared import prepared


class AccountBackend(ModelBackend):
    """Django's own, in fewer statements: every page wants the account and its worker, and those of
    the admin what the account may do."""

    def get_user(self, user_id: Any) -> User | None:
        user = _with_worker.first(pk=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        asked = user_obj.is_active and not user_obj.is_superuser and obj is None
        if asked and not hasattr(user_obj, "_perm_cache"):
            user_obj._perm_cache = _permissions_of(user_obj.pk)
        return super().get_all_permissions(user_obj, obj)


@prepared
def _with_worker(*, pk: int) -> QuerySet[User]:
    return User.objects.select_related("worker").filter(pk=pk)


def _permissions_of(user: int) -> set[str]:
    """The account's own and those of its groups."""
    own = User.user_permissions.through.objects.filter(user=user)
    of_groups = Group.permissions.through.objects.filter(group__user=user)
    held = Permission.objects.filter(
        Q(pk__in=own.values("permission")) | Q(pk__in=of_groups.values("permission"))
    )
    names = held.order_by().values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in names}
