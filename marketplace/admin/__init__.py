from marketplace.admin import hits, ledger, notifications, qualifications, requesters, workers

__all__ = ["hits", "ledger", "notifications", "qualifications", "requesters", "workers"]
