"""How a text came to be: what is read, added up and kept, whatever a browser sends."""

from typing import Any

import pytest

from studies.services import evidence
from studies.services.evidence import Unreadable, add_page, freeze, unreadable

PAGE, OTHER = "a" * 16, "b" * 16


def step(**counters: Any) -> dict[str, Any]:
    sizes: dict[str, Any] = {name: [] for name in evidence.SIZES}
    return dict.fromkeys(evidence.COUNTERS, 0) | sizes | counters


def sent(page: str = PAGE, note: str = "", **steps: dict[str, Any]) -> dict[str, Any]:
    named = {name.removeprefix("step"): counters for name, counters in steps.items()}
    return {"page": page, "steps": named, "note": note}


def test_the_newest_totals_of_a_page_count_once_whatever_order_they_come_in() -> None:
    first, second = sent(step1=step(keys=3)), sent(step1=step(keys=8), step2=step(pastes=[40]))

    orders = ([(first, 1), (second, 2)], [(second, 2), (first, 1)], [(second, 2), (second, 2)])
    kept = []
    for order in orders:
        row: dict[str, Any] = {}
        for message, revision in order:
            row = add_page(row, message, revision=revision)
        kept.append(freeze(row))

    assert kept[0] == kept[1] == kept[2]
    assert kept[0] is not None
    assert kept[0]["steps"] == {"1": step(keys=8), "2": step(pastes=[40])}


def test_pages_are_added_up_step_by_step() -> None:
    row = add_page({}, sent(step1=step(keys=3, active_ms=900, pastes=[7])), revision=1)
    row = add_page(
        row, sent(OTHER, step1=step(keys=4, pastes=[2, 5]), step10=step(away=1)), revision=1
    )

    frozen = freeze(row)

    assert frozen == {
        "version": 1,
        "pages": 2,
        "steps": {"1": step(keys=7, active_ms=900, pastes=[7, 2, 5]), "10": step(away=1)},
        "note": "",
    }


def test_nothing_recorded_freezes_to_nothing() -> None:
    assert freeze({}) is None
    assert freeze({}, "I dictate.") is None


@pytest.mark.parametrize(
    ("last", "kept"),
    [
        (None, "I dictate."),
        ("", ""),
        ("  I   translate.\n", "I translate."),
        ("a\x00b\ud800c", "a\ufffdb\ufffdc"),
        ("x" * 500, "x" * 200),
    ],
)
def test_the_line_sent_with_the_response_is_the_one_that_counts(
    last: str | None, kept: str
) -> None:
    row = add_page({}, sent(note="I dictate.", step1=step()), revision=1)

    frozen = freeze(row, last)

    assert frozen is not None
    assert frozen["note"] == kept


@pytest.mark.parametrize(
    ("hostile", "code"),
    [
        (None, "layout"),
        ([], "layout"),
        ("text", "layout"),
        ({}, "layout"),
        (sent() | {"clipboard": "secret"}, "layout"),
        (sent(page="../../etc"), "page"),
        (sent(page="A" * 5000), "page"),
        (sent() | {"page": 7}, "page"),
        (sent() | {"note": ["x"]}, "note"),
        (sent() | {"steps": []}, "steps"),
        (sent() | {"steps": {"one": step()}}, "steps"),
        (sent() | {"steps": {"٣": step()}}, "steps"),
        (sent() | {"steps": {"100": step()}}, "steps"),
        (sent(step1={"keys": 1}), "step"),
        (sent(step1=step() | {"text": "what I typed"}), "step"),
        (sent() | {"steps": {"1": None}}, "step"),
        (sent(step1=step(keys=-1)), "keys"),
        (sent(step1=step(keys=True)), "keys"),
        (sent(step1=step(keys=1.5)), "keys"),
        (sent(step1=step(keys="1")), "keys"),
        (sent(step1=step(active_ms=float("nan"))), "active_ms"),
        (sent(step1=step(active_ms=float("inf"))), "active_ms"),
        (sent(step1=step(away_ms=10**30)), "away_ms"),
        (sent(step1=step(pastes="what I pasted")), "pastes"),
        (sent(step1=step(pastes=["what I pasted"])), "pastes"),
        (sent(step1=step(pastes=[1] * 101)), "pastes"),
        (sent(step1=step(drops=[10**9])), "drops"),
    ],
)
def test_what_our_page_would_not_send_is_refused(hostile: Any, code: str) -> None:
    with pytest.raises(Unreadable) as refused:
        add_page({}, hostile, revision=1)

    assert refused.value.code == code


@pytest.mark.parametrize("revision", [-1, 2**53])
def test_a_revision_out_of_bounds_is_refused(revision: int) -> None:
    with pytest.raises(Unreadable):
        add_page({}, sent(), revision=revision)


def test_what_is_kept_stays_small_however_often_it_is_sent() -> None:
    row: dict[str, Any] = {}
    full = {str(number): step(pastes=[999_999] * 100) for number in range(10)}
    with pytest.raises(Unreadable, match="amount"):
        for number in range(1000):
            page = f"{number:016x}"
            row = add_page(row, {"page": page, "steps": full, "note": ""}, revision=1)
    with pytest.raises(Unreadable, match="amount"):
        for number in range(1000):
            row = add_page(row, sent(f"{number:016x}"), revision=2)

    assert len(row["pages"]) == evidence.MOST_PAGES


def test_once_unreadable_nothing_but_the_line_is_kept() -> None:
    row = add_page({}, sent(note="I dictate.", step1=step(keys=3)), revision=1)

    assert freeze(unreadable(row)) == {"version": 1, "unreadable": True, "note": "I dictate."}
