"""Queries that are compiled once answer as the querysets they were made of."""

import threading
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.signals import post_init
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from database.prepared import prebuilt, prepared
from database.statement import present_connection
from marketplace.models import Worker

pytestmark = pytest.mark.django_db


@prepared
def named(*, name: str) -> QuerySet[User]:
    return User.objects.filter(username=name).select_related("worker")


@prepared
def joined_since(*, day: object, most: str) -> QuerySet[User, tuple[str, int]]:
    found = User.objects.filter(date_joined__gte=day, username__lte=most)
    return found.order_by("username").values_list("username", "pk")


@prepared
def keys_of_workers(*, name: str) -> QuerySet[User, int]:
    has_worker = Worker.objects.filter(user=OuterRef("pk"), display_name=name)
    return User.objects.filter(Exists(has_worker)).order_by("pk").values_list("pk", flat=True)[:2]


@prepared
def locked(*, pk: int) -> QuerySet[User]:
    return User.objects.select_for_update(no_key=True).filter(pk=pk)


def test_each_call_has_its_own_arguments_and_fresh_rows() -> None:
    ada, bo = (User.objects.create_user(name) for name in ("ada", "bo"))

    assert named(name="ada") == [ada]
    assert named(name="bo") == [bo]
    assert named(name="nobody") == []
    User.objects.filter(pk=ada.pk).update(first_name="Ada")
    found = named.first(name="ada")
    assert found is not None and found.first_name == "Ada"
    assert named.first(name="nobody") is None


def test_what_would_be_sql_stays_text() -> None:
    odd = "a' OR 1=1 -- %s %(x)s"
    user = User.objects.create(username=odd)

    assert named(name=odd) == [user]
    assert named(name="' OR ''='") == []


def test_related_rows_come_along() -> None:
    user = User.objects.create_user("ada")
    worker = Worker.objects.create(user=user, display_name="Ada")

    with CaptureQueriesContext(connection) as queries:
        (found,) = named(name="ada")
        assert found.worker == worker
        assert found.worker.user is found

    assert len(queries) == 1


def test_values_subqueries_and_slices_are_kept() -> None:
    users = [User.objects.create_user(f"u{number}") for number in range(4)]
    for user in users[1:]:
        Worker.objects.create(user=user, display_name="the same")
    yesterday = timezone.now() - timedelta(days=1)

    assert joined_since(day=yesterday, most="u1") == [("u0", users[0].pk), ("u1", users[1].pk)]
    assert joined_since(day=yesterday + timedelta(days=2), most="u9") == []
    assert keys_of_workers(name="the same") == [users[1].pk, users[2].pk]
    assert keys_of_workers(name="another") == []


@pytest.mark.django_db(transaction=True)
def test_a_lock_needs_a_transaction_and_holds_others_back() -> None:
    user = User.objects.create_user("ada")
    order: list[str] = []
    with pytest.raises(TransactionManagementError):
        locked(pk=user.pk)

    def take_it_too() -> None:
        try:
            with transaction.atomic():
                locked(pk=user.pk)
                order.append("second")
        finally:
            connection.close()

    with transaction.atomic():
        assert locked(pk=user.pk) == [user]
        other = threading.Thread(target=take_it_too)
        other.start()
        other.join(0.3)
        order.append("first")
    other.join()

    assert order == ["first", "second"]


def test_a_wrong_argument_is_refused() -> None:
    with pytest.raises((KeyError, TypeError)):
        named()  # type: ignore[call-arg]


@pytest.mark.django_db(transaction=True)
def test_threads_that_come_first_at_the_same_time_share_one_statement() -> None:
    user = User.objects.create_user("ada")
    together = threading.Barrier(8)
    answers: list[object] = []

    @prepared
    def found(*, pk: int) -> QuerySet[User]:
        with suppress(threading.BrokenBarrierError):
            # Whoever builds waits for another who builds, too; nobody does.
            builders.wait(0.2)
        return User.objects.filter(pk=pk)

    builders = threading.Barrier(2)

    def ask_twice() -> None:
        try:
            together.wait(5)
            answers.extend([found(pk=user.pk), found(pk=user.pk)])
        except Exception as error:
            answers.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=ask_twice) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [[user]] * 16


@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_is_prepared_anew() -> None:
    user = User.objects.create_user("ada")
    assert named(name="ada") == [user]

    connection.close()

    assert named(name="ada") == [user]


@pytest.mark.django_db(transaction=True)
def test_a_statement_outlives_a_transaction_that_was_rolled_back() -> None:
    user = User.objects.create_user("ada")
    connection.close()
    with suppress(ZeroDivisionError), transaction.atomic():
        assert named(name="ada") == [user]
        raise ZeroDivisionError

    assert named(name="ada") == [user]


def test_behind_a_pooler_nothing_is_left_on_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user = User.objects.create_user("ada")
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)

    with CaptureQueriesContext(connection) as queries:
        assert named(name="ada") == [user]
        assert joined_since(day=user.date_joined, most="ada") == [("ada", user.pk)]

    assert all(query["sql"].startswith("SELECT") for query in queries)


def test_what_looks_at_queries_sees_them() -> None:
    User.objects.create_user("ada")
    named(name="ada")
    seen: list[str] = []

    def refuse(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen.append(sql)
        raise ZeroDivisionError

    with connection.execute_wrapper(refuse), pytest.raises(ZeroDivisionError):
        named(name="ada")

    assert [sql.split()[0] for sql in seen] == ["EXECUTE"]


def test_nothing_is_asked_in_a_transaction_that_is_broken() -> None:
    User.objects.create(username="ada")
    with transaction.atomic():
        with suppress(IntegrityError), transaction.atomic(savepoint=False):
            User.objects.create(username="ada")
        with pytest.raises(TransactionManagementError):
            named(name="ada")
        transaction.set_rollback(True)


def test_a_model_that_somebody_wants_to_hear_of_is_not_read_in_silence() -> None:
    def hear(**facts: object) -> None:
        """Who listens expects to be told of each row."""

    @prepared
    def unheard(*, pk: int) -> QuerySet[User]:
        return User.objects.filter(pk=pk)

    post_init.connect(hear, sender=User)
    try:
        with pytest.raises(TypeError, match="User"):
            unheard(pk=1)
    finally:
        post_init.disconnect(hear, sender=User)


@prepared
def named_oddly(*, at_least: int) -> QuerySet[User]:
    return User.objects.filter(username__contains="5% of", pk__gte=at_least)


def test_a_percent_sign_in_a_constant_stays_one() -> None:
    user = User.objects.create(username="5% of all")
    User.objects.create(username="55 of all")

    assert named_oddly(at_least=user.pk) == [user]


@prebuilt
def first_of(*, name: str) -> QuerySet[User, str]:
    return User.objects.filter(username=name).values_list("username", flat=True)


def test_what_is_prebuilt_is_planned_for_its_arguments() -> None:
    User.objects.create_user("ada")
    before = set(present_connection().prepared)

    with CaptureQueriesContext(connection) as queries:
        assert first_of(name="ada") == ["ada"]
        assert first_of(name="bo") == []

    assert ["EXECUTE" in query["sql"] for query in queries] == [False, False]
    assert present_connection().prepared == before
