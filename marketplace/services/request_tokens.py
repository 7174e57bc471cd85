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
    used.filter(created_at__lte=at - limits.REQUEST_TOKENS_LAPSE_AFTER).delete()
    try:
        with transaction.atomic():
            RequestToken.objects.create(
                requester=requester,
                operation=operation,
                token=token,
                resource_id=resource_id,
                created_at=at,
            )
    except IntegrityError as error:
        raise TokenAlreadyUsed(code, used.get().resource_id) from error
