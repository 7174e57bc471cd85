"""A connection that the server has closed is noticed before it is used again."""

import psycopg2
import pytest
from django.contrib.auth.models import User
from django.core.signals import request_started
from django.db import DatabaseError, OperationalError, close_old_connections, connection

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_next_request_works_after_the_server_has_hung_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
    connection.close()
    User.objects.create_user("ada")
    before = hang_up()

    # Test clients keep Django from doing this at the start of a request.
    request_started.connect(close_old_connections)
    try:
        request_started.send(object)
    finally:
        request_started.disconnect(close_old_connections)

    assert User.objects.get().username == "ada"
    assert backend() != before


def test_a_quiet_connection_is_used_on_and_one_that_was_told_something_is_asked() -> None:
    first = backend()
    assert connection.is_usable()
    with connection.cursor() as cursor:
        cursor.execute("LISTEN kite")
    from_elsewhere("NOTIFY kite")
    assert connection.is_usable()
    assert backend() == first

    hang_up()
    assert not connection.is_usable()
    # By now it is closed on this side, too.
    assert not connection.is_usable()
    connection.close()
    assert not connection.is_usable()


def test_a_connection_that_breaks_is_known_from_an_error_of_the_server() -> None:
    with pytest.raises(OperationalError, match="closed"), connection.wrap_database_errors:
        raise psycopg2.DatabaseError("server closed the connection unexpectedly")

    with pytest.raises(DatabaseError) as found, connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'odd' USING ERRCODE = 'ZZ001'; END $$")
    assert type(found.value) is DatabaseError


def backend() -> int:
    connection.ensure_connection()
    return int(connection.connection.info.backend_pid)


def hang_up() -> int:
    """Have the server close the connection of this test. Returns the process that served it."""
    served_by = backend()
    from_elsewhere("SELECT pg_terminate_backend(%s, 5000)", [served_by])
    return served_by


def from_elsewhere(sql: str, params: list[int] | None = None) -> None:
    dsn, password = connection.connection.dsn, connection.settings_dict["PASSWORD"]
    with psycopg2.connect(dsn, password=password) as other, other.cursor() as cursor:
        cursor.execute(sql, params)
    other.close()
