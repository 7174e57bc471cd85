from marketplace.admin import (
    hits,
    ledger,
    messages,
    notifications,
    qualifications,
    requesters,
    workers,
)

__all__ = [
    "hits",
    "ledger",
    "messages",
    "notifications",
    "qualifications",
    "requesters",
    "workers",
]
