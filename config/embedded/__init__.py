"""PostgreSQL and Valkey from wheels, under the data folder, for as long as somebody uses them.

Entry points (manage.py, `make demo`, the tests) call `join` before Django reads its settings.
"""

from config.embedded.errors import ServiceError
from config.embedded.users import Services, join

__all__ = ["ServiceError", "Services", "join"]
