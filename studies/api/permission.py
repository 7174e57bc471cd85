from typing import Any

from django.contrib.auth.models import User
from rest_framework.permissions import BasePermission
from rest_framework.request import Request


class IsStaffWithPermission(BasePermission):
    """Staff who may do in the admin what this method of the view does."""

    def has_permission(self, request: Request, view: Any) -> bool:
        user = request.user
        method = "GET" if request.method == "HEAD" else request.method
        needed = getattr(view, "needs", {}).get(method, ())
        return isinstance(user, User) and user.is_staff and user.has_perms(needed)
