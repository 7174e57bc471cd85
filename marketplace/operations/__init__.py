"""The operations of the requester protocol, one module per noun."""

from marketplace.operations import (
    account,
    assignments,
    blocks,
    bonuses,
    hit_types,
    hits,
    messages,
    notifications,
    qualifications,
)

__all__ = [
    "account",
    "assignments",
    "blocks",
    "bonuses",
    "hit_types",
    "hits",
    "messages",
    "notifications",
    "qualifications",
]
