"""An instrument is versioned, never edited."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from evaluation.apps import install_instruments
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.house import HOUSE, NEEDED, ReportsNeed, check_kept
from evaluation.instruments.parts import Condition, Kind, Level, Option
from evaluation.instruments.pasta import STATE_INFERENCE
from evaluation.models import Instrument
from evaluation.reports.registry import REPORTS
from evaluation.services import instruments
from evaluation.services.instruments import (
    NothingNew,
    SlugTaken,
    UnknownInstrument,
    find_instrument,
    install_built_in,
    make_instrument,
    make_version,
)
from tests.evaluation.test_declarations import HOW_CLEAR, declared

pytestmark = pytest.mark.django_db
CLARITY = declared(HOW_CLEAR)


def test_the_house_has_its_instruments_once() -> None:
    # As migrate does; another test may have emptied the table.
    install_instruments()
    before = Instrument.objects.count()

    install_built_in()

    assert Instrument.objects.count() == before >= 6
    assert find_instrument("pairwise").version == 1


def test_those_of_the_house_come_back_where_they_are_gone() -> None:
    Instrument.objects.all().delete()

    assert find_instrument("state-change").declared.title == "State change"


def test_new_words_of_the_house_are_a_new_version(monkeypatch: pytest.MonkeyPatch) -> None:
    find_instrument("state-inference")
    reworded = replace(STATE_INFERENCE, about="In other words.")
    monkeypatch.setattr(instruments, "BUILT_IN", (reworded,))
    monkeypatch.setitem(HOUSE, reworded.slug, reworded)

    assert find_instrument("state-inference").version == 2
    assert find_instrument("state-inference").declared == reworded


def test_a_new_instrument_and_its_next_version() -> None:
    ines = User.objects.create_user("ines")
    first = make_instrument(declared=CLARITY, user=ines)

    second = make_version(declared=replace(CLARITY, about="Of outputs."), user=ines)

    assert (first.version, second.version) == (1, 2)
    assert find_instrument("clarity") == second
    assert Instrument.objects.get(pk=first.pk).declared == CLARITY


def test_a_name_is_given_once_and_a_version_changes_something() -> None:
    make_instrument(declared=CLARITY)

    with pytest.raises(SlugTaken):
        make_instrument(declared=CLARITY)
    with pytest.raises(SlugTaken):
        make_instrument(declared=replace(CLARITY, slug="pairwise"))
    with pytest.raises(NothingNew):
        make_version(declared=CLARITY)
    with pytest.raises(UnknownInstrument, match="clarity, pairwise"):
        make_version(declared=replace(CLARITY, slug="beauty"))


def changed(instrument: str, question: str, **change: Any) -> Declaration:
    """An instrument of the house with another question."""
    questions = [
        replace(one, **change) if one.slug == question else one
        for one in HOUSE[instrument].questions
    ]
    return replace(HOUSE[instrument], questions=tuple(questions))


FROM_BELOW = (Option(-1, "Less"), Option(0, "As much"))
LIKELY = Condition("inferable", (3, 4))
UNFIT = [
    (changed("story-revision", "inferable", threshold=None), "a threshold of “inferable”"),
    (changed("story-revision", "degree", condition=LIKELY), "“degree” to be asked without"),
    (changed("story-revision", "degree", options=FROM_BELOW), "begin with the code 0"),
    (changed("story-revision", "logical", slug="sound"), "Reports need the question “logical”"),
    (
        changed("state-change", "inferable_s", condition=Condition("attribute", (1,))),
        "“inferable_s” to be asked without",
    ),
    (
        changed("state-change", "in_story", kind=Kind.LIKERT, level=Level.ORDINAL),
        "“in_story” to be of the kind choice",
    ),
]


@pytest.mark.parametrize(("declared", "says"), UNFIT, ids=[says for _declared, says in UNFIT])
def test_a_version_keeps_what_reports_need(declared: Declaration, says: str) -> None:
    newest = find_instrument(declared.slug)

    with pytest.raises(ReportsNeed, match=says):
        make_version(declared=declared)

    assert find_instrument(declared.slug) == newest


def test_a_version_may_change_what_reports_do_not_need() -> None:
    more = (*HOUSE["story-revision"].questions, HOW_CLEAR)
    made = make_version(declared=replace(HOUSE["story-revision"], questions=more))
    five = changed("story-revision", "degree", options=(Option(0, "None"), Option(7, "All")))

    assert made.declared.questions[-1] == HOW_CLEAR
    assert make_version(declared=five).version == made.version + 1


def test_what_each_report_needs_is_kept() -> None:
    of_reports = {slug for report in REPORTS.values() for slug in report.instruments}

    assert of_reports == set(NEEDED)
    for slug in NEEDED:
        check_kept(HOUSE[slug])


def test_the_database_refuses_to_edit_a_version() -> None:
    made = make_instrument(declared=CLARITY)
    made.title = "Another"

    with pytest.raises(IntegrityError, match="never edited"), transaction.atomic():
        made.save()


def test_a_version_is_found_by_its_number() -> None:
    newest = find_instrument("pairwise")

    assert find_instrument(f"pairwise@{newest.version}") == newest
    for none in ("pairwise@900", "pairwise@x", f"pairwise@{10**30}"):
        with pytest.raises(UnknownInstrument, match="no instrument “pairwise@"):
            find_instrument(none)
