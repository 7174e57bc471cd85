"""UniqueRequestToken: the same call made twice within 24 hours is refused the second time."""

from datetime import datetime

from django.db import connection

from marketplace import limits
from marketplace.errors import TokenAlreadyUsed
from marketplace.models import Requester, RequestToken

# One statement: a new row, or an old one whose time is over, or none.
TAKE = """
INSERT INTO marketplace_requesttoken AS known
       (requester_id, operation, token, resource_id, created_at)
VALUES (%s, %s, %s, %s, %s)
ON CONFLICT ON CONSTRAINT request_token_used_once DO UPDATE
   SET resource_id = EXCLUDED.resource_id, created_at = EXCLUDED.created_at
 WHERE known.created_at <= %s
"""


def use_token(
    *,
    requester: Requester,
    operation: str,
    token: str,
    resource_id: str,
    at: datetime,
    refusal: type[TokenAlreadyUsed] = TokenAlreadyUsed,
) -> None:
    """Raises `refusal`. Of two calls at once the second waits for the first."""
    lapsed_by = at - limits.REQUEST_TOKENS_LAPSE_AFTER
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [requester.pk, operation, token, resource_id, at, lapsed_by])
        taken = cursor.rowcount
    if not taken:
        used = RequestToken.objects.get(requester=requester, operation=operation, token=token)
        raise refusal(token, used.resource_id)
