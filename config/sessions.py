"""Sessions in the database, as Django keeps them, read by a prepared query."""

import re
from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from database.prepared import prepared

KEY = re.compile(r"[a-z0-9]{8,40}")


class SessionStore(db.SessionStore):
    def _validate_session_key(self, key: str | None) -> bool:
        """Nothing else is looked for: a cookie may hold anything, a NUL as well."""
        return key is not None and KEY.fullmatch(key) is not None

    def _get_session_from_db(self) -> Session | None:
        session = _current.first(key=self.session_key or "", now=timezone.now())
        if session is None:
            self._session_key = None
        return session


@prepared
def _current(*, key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)
