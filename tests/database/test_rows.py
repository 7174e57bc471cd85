"""What is written by prepared statements is what `save` would have written."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from database.rows import insert, together, update
from studies.models import Participant, Study, Worker

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
    assert query["sql"].startswith('EXECUTE "write_studies_study_')


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


def test_what_is_written_together_is_one_message_and_rows_may_refer_to_new_ones() -> None:
    old = Study.objects.create(slug="old", title="Old")
    study = Study(slug="new", title="New")
    participant = Participant(study=study, worker=Worker.objects.create(marketplace_id="W1"))
    old.title = "Older"
    insert(Study(slug="warm", title="The statement of one row is planned"))

    with CaptureQueriesContext(connection) as queries, together():
        update(old, ("title",))
        insert(study)
        with together():
            insert(participant)
        assert study.pk is None
        assert len(queries) == 0

    assert [query["sql"].split()[0] for query in queries] == ["PREPARE", "EXECUTE"]
    assert Study.objects.get(pk=old.pk).title == "Older"
    assert Participant.objects.get() == participant
    assert Participant.objects.get().study == study
    assert participant.study_id == study.pk is not None


def test_together_nothing_is_written_when_one_of_them_cannot_be() -> None:
    gone = Study.objects.create(slug="gone", title="Gone")
    Study.objects.filter(pk=gone.pk).delete()

    with pytest.raises(DatabaseError, match="no <Study"), transaction.atomic(), together():
        insert(Study(slug="new", title="New"))
        update(gone, ("title",))
    with pytest.raises(ZeroDivisionError), together():
        insert(Study(slug="never-sent", title="New"))
        _ = 1 // 0

    assert not Study.objects.exists()
    insert(Study(slug="next", title="Sent at once again"))
    assert Study.objects.get().slug == "next"
