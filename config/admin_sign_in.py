"""The admin's sign-in form. Tries are counted as on the worker site, under the same limits."""

import logging
from typing import Any

from allauth.account.adapter import get_adapter
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from redis.exceptions import RedisError
from unfold.forms import AuthenticationForm

logger = logging.getLogger(__name__)


class CountedAuthenticationForm(AuthenticationForm):  # type: ignore[misc]
    """Where the tries cannot be counted nobody signs in; who is signed in goes on working."""

    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": gettext_lazy(
            "This user name and password do not go together, or the account is not for staff. "
            "Check both and try again."
        )
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = gettext_lazy("User name")

    def clean(self) -> dict[str, Any]:
        """As Django's, but asks through allauth, which refuses after too many tries."""
        try:
            return self._authenticate()
        except RedisError as error:
            logger.warning("sign-in attempts cannot be counted: %s", error)
            words = _("Signing in does not work for the moment. Try again in a minute.")
            raise ValidationError(words, code="away") from error

    def _authenticate(self) -> dict[str, Any]:
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
