from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db.models import QuerySet

from database.prepared import prepared


class AccountBackend(ModelBackend):
    """Django's own, which reads the account and its worker at once: every page wants both."""

    def get_user(self, user_id: Any) -> User | None:
        user = _with_worker.first(pk=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


@prepared
def _with_worker(*, pk: int) -> QuerySet[User]:
    return User.objects.select_related("worker").filter(pk=pk)
