"""What is written by prepared statements is what `save` would have written."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from database.rows import insert, update
from studies.models import Study

pytestmark = pytest.mark.django_db


def test_an_inserted_row_is_there_with_its_defaults_and_its_key() -> None:
    odd = "a'); DROP TABLE studies_study; -- %s"
    study = Study(slug="sandgrouse", title=odd)

    insert(study)

    found = Study.objects.get(pk=study.pk)
    for field in Study._meta.concrete_fields:
        assert getattr(found, field.attname) == getattr(study, field.attname)
    study.title = "Second"
    study.save()
    assert Study.objects.get().title == "Second"


def test_an_update_writes_the_named_fields_of_this_row_alone() -> None:
    first, other = (Study.objects.create(slug=slug, title="First") for slug in ("one", "two"))
    first.title, first.contact, first.created_at = "New", "Not named", timezone.now()
    day = first.created_at = first.created_at - timedelta(days=3)

    update(first, ("title", "created_at"))

    first.refresh_from_db()
    other.refresh_from_db()
    assert (first.title, first.contact, first.created_at) == ("New", "", day)
    assert other.title == "First"


def test_a_row_that_is_gone_is_not_taken_for_updated() -> None:
    study = Study.objects.create(slug="gone", title="Gone")
    Study.objects.filter(pk=study.pk).delete()

    with pytest.raises(DatabaseError, match="no <Study"):
        update(study, ("title",))


def test_the_database_refuses_what_it_refuses_of_save() -> None:
    Study.objects.create(slug="taken", title="First")

    with pytest.raises(IntegrityError), transaction.atomic():
        insert(Study(slug="taken", title="Second"))
    study = Study(slug="free", title="Third")
    insert(study)
    study.slug = "taken"
    with pytest.raises(IntegrityError), transaction.atomic():
        update(study, ("slug",))


def test_it_is_planned_once_on_a_connection() -> None:
    insert(Study(slug="one", title="One"))

    with CaptureQueriesContext(connection) as queries:
        insert(Study(slug="two", title="Two"))

    (query,) = queries.captured_queries
    assert query["sql"].startswith('EXECUTE "insert_studies_study_')


def test_behind_a_transaction_pooler_the_sql_is_sent_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    study = Study(slug="one", title="One")

    with CaptureQueriesContext(connection) as queries:
        insert(study)
        study.title = "Two"
        update(study, ("title",))

    assert [query["sql"].split()[0] for query in queries] == ["INSERT", "UPDATE"]
    assert Study.objects.get().title == "Two"
