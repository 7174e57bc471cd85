"""UniqueRequestToken: the same call made twice within 24 hours is refused the second time."""

from datetime import datetime

from django.db import IntegrityError, transaction

from marketplace import limits
from marketplace.errors import TokenAlreadyUsed
from marketplace.models import Requester, RequestToken


def use_token(
    *, requester: Requester, operation: str, token: str, resource_id: str, code: str, at: datetime
) -> None:
    """Raises TokenAlreadyUsed with `code`. Of two calls at once the second waits for the first."""
    used = RequestToken.objects.filter(requester=requester, operation=operation, token=token)
    fresh = RequestToken(
        requester=requester,
        operation=operation,
        token=token,
        resource_id=resource_id,
        created_at=at,
    )
    try:
        with transaction.atomic():
            fresh.save()
    except IntegrityError as error:
        lapsed = used.filter(created_at__lte=at - limits.REQUEST_TOKENS_LAPSE_AFTER)
        # Only one of two calls at once takes over a lapsed token.
        if not lapsed.update(resource_id=resource_id, created_at=at):
            raise TokenAlreadyUsed(code, used.get().resource_id) from error
