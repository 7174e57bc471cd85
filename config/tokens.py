"""Tokens of the API: made for an account, shown once, revoked for good."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from config.models import ApiToken, digest_of, new_secret


def make_token(*, user: User, label: str) -> tuple[ApiToken, str]:
    """The row, and the secret, which nobody can read again."""
    secret = new_secret()
    made = ApiToken.objects.create(user=user, label=label, digest=digest_of(secret.encode()))
    return made, secret


def revoke_tokens(*, tokens: QuerySet[ApiToken]) -> int:
    """How many were in use."""
    return tokens.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())
