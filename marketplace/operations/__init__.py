"""The operations of the requester protocol, one module per noun."""

from marketplace.operations import (
    account,
    assignments,
    hit_types,
    hits,
    notifications,
    qualifications,
)

__all__ = ["account", "assignments", "hit_types", "hits", "notifications", "qualifications"]
