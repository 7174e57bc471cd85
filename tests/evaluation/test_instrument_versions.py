"""An instrument is versioned, never edited."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from evaluation.apps import install_instruments
from evaluation.instruments.pasta import STATE_INFERENCE
from evaluation.models import Instrument
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
    monkeypatch.setitem(instruments.HOUSE, reworded.slug, reworded)

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
