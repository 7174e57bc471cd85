import pytest
from django.db import connection


@pytest.mark.django_db
def test_text_is_sorted_by_code_point_and_folded_by_unicode() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT w FROM (VALUES ('b'), ('B'), ('a'), ('É'), ('z')) t(w) ORDER BY w")
        words = [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT lower('ÉΣ')")
        folded = cursor.fetchone()[0]

    assert words == ["B", "a", "b", "z", "É"]
    assert folded == "éσ"
