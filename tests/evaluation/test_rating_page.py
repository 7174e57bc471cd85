"""The page of a rating round, request by request."""

import pytest

from tests.evaluation.rating_rounds import assignment_of, launched, open_page, submit
from tests.evaluation.test_rating_round import inference
from tests.studies import factories as make

pytestmark = pytest.mark.django_db


def test_nobody_is_asked_whether_their_writing_may_be_recorded() -> None:
    study = make.make_study(records_process=True)
    round = launched(study, "state-inference", [inference()])

    html = open_page(round, "R1").content.decode()

    assert "id_inferable_1" in html
    assert "data-records-process" not in html


def test_what_was_sent_stays_on_the_page_beside_what_is_missing() -> None:
    rows = [inference("a", system="p"), inference("a", system="q")]
    round = launched(make.make_study(), "state-inference", rows)
    page = open_page(round, "R1")

    answer = submit(page, {"inferable_2": "4"})
    html = answer.content.decode()

    assert answer.status_code == 422
    assert 'value="4" data-draft data-step="2"\n                 data-keys="5" checked' in html
    assert 'id="error-inferable_1">Text 1, question 1: choose an answer.<' in html
    assert assignment_of(round, "R1").draft["fields"] == {"inferable_2": "4"}
