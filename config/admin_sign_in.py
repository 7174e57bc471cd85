"""The admin's sign-in form. Tries are counted as on the worker site, under the same limits."""

from typing import Any

from allauth.account.adapter import get_adapter
from unfold.forms import AuthenticationForm


class CountedAuthenticationForm(AuthenticationForm):  # type: ignore[misc]
    def clean(self) -> dict[str, Any]:
        """As Django's, but asks through allauth, which refuses after too many tries."""
        given: dict[str, Any] = self.cleaned_data
        username, password = given.get("username"), given.get("password")
        if username is not None and password:
            self.user_cache = get_adapter(self.request).authenticate(
                self.request, username=username, password=password
            )
            if self.user_cache is None:
                raise self.get_invalid_login_error()
            self.confirm_login_allowed(self.user_cache)
        return given
