"""Few-shot prompting: layouts, examples, an endpoint that is asked no more than needed."""

import json
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modeling.instances import Instance, state_change, story_revision
from modeling.methods import EndpointPrompting
from modeling.prompting import endpoint as client
from modeling.prompting.answers import Answers, Reply, Request
from modeling.prompting.examples import Examples, Vectors, draw_pool
from modeling.prompting.layouts import LAYOUTS
from modeling.reporting import RunCancelled, RunFailure
from modeling.run_folder import Reason, RunFolder
from modeling.runs.words import what_failed
from modeling.tasks.state_change import read_states
from modeling.tasks.story_revision import read_revision
from modeling.training import run
from tests.modeling.endpoint import Asked, completion, endpoint
from tests.modeling.tiny import made_up_tuples, make_folder

REVISION, CHANGE = LAYOUTS["story-revision"], LAYOUTS["state-change"]
TUPLES = made_up_tuples(12)
REVISIONS = [one for each in TUPLES for one in story_revision(each)]
CHANGES = [one for each in TUPLES for one in state_change(each)]


# --- Layouts ------------------------------------------------------------------------------


def test_a_revision_is_asked_for_with_the_story_and_the_state_open() -> None:
    first, asked = REVISIONS[0], REVISIONS[2]
    story, revised = TUPLES[0].story, TUPLES[0].revised

    text = REVISION.prompt([first], asked)

    assert text == (
        f"Story: {' '.join(story)}\nState: {TUPLES[0].changed_state}\n"
        f"Revised story: {' '.join(revised)}\n\n"
        f"Story: {' '.join(TUPLES[1].story)}\nState: {TUPLES[1].changed_state}\nRevised story:"
    )


def test_states_are_asked_for_with_both_stories_open() -> None:
    text = CHANGE.prompt([CHANGES[0]], CHANGES[2])

    assert text == (
        f"Story 1: {' '.join(TUPLES[0].story)}\nStory 2: {' '.join(TUPLES[0].revised)}\n"
        f"State 1: {TUPLES[0].state}\nState 2: {TUPLES[0].changed_state}\n\n"
        f"Story 1: {' '.join(TUPLES[1].story)}\nStory 2: {' '.join(TUPLES[1].revised)}\nState 1:"
    )


@pytest.mark.parametrize("label", ["", "Revised story: "])
@pytest.mark.parametrize("after", ["", "\n\nStory: Another one."])
def test_a_revision_is_read_as_the_sentences_that_changed(label: str, after: str) -> None:
    asked, wanted = REVISIONS[0], TUPLES[0].revised

    output = REVISION.output(asked, f" {label}{' '.join(wanted)}{after}")

    assert output == asked.target
    assert read_revision(output, TUPLES[0].story).sentences == wanted


def test_a_revision_with_too_many_sentences_keeps_all_its_text() -> None:
    output = REVISION.output(REVISIONS[0], "One came. Two came. Three came. Four came.")

    assert read_revision(output, TUPLES[0].story).sentences == (
        "One came.",
        "Two came.",
        "Three came. Four came.",
    )


@pytest.mark.parametrize("answer", ["", "   "])
def test_an_empty_revision_changes_nothing(answer: str) -> None:
    assert REVISION.output(REVISIONS[0], answer) == ""


@pytest.mark.parametrize("label", ["", "State 1: "])
def test_states_are_read_from_an_answer(label: str) -> None:
    states = read_states(CHANGE.output(CHANGES[0], f" {label}He is glad.\nState 2: He is sad.\n\n"))

    assert (states.state, states.changed_state) == ("He is glad.", "He is sad.")


# --- Examples -----------------------------------------------------------------------------


def by_letters(texts: Any) -> Vectors:
    """How often each letter occurs."""
    letters = [Counter(text.casefold()) for text in texts]
    return np.array([[one[chr(97 + n)] for n in range(26)] for one in letters], np.float32)


def examples(**given: Any) -> Examples:
    values: dict[str, Any] = {
        "pool": REVISIONS[2:],
        "train": REVISIONS[2:],
        "curated": (),
        "seed": 1,
        "encode": by_letters,
    }
    return Examples(**values | given)


def test_curated_examples_come_in_their_order() -> None:
    found = examples(curated=("t5", "t3", "t4")).of("curated", 2, REVISIONS[0])

    assert [one.tuple_key for one in found] == ["t5", "t3"]


def test_random_examples_differ_by_row_and_stay_the_same() -> None:
    first, again, other = (
        [one.key for one in examples().of("random", 5, asked)]
        for asked in (REVISIONS[0], REVISIONS[0], REVISIONS[1])
    )

    assert first == again
    assert len(set(first)) == 5
    assert [key.split(":")[0] for key in first] != [key.split(":")[0] for key in other]


def test_the_nearest_example_stands_last() -> None:
    asked = REVISIONS[0]
    found = examples().of("nearest", 3, asked)
    rows = by_letters([asked.text, *(one.text for one in found)])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows[1:] @ rows[0]

    assert list(cosines) == sorted(cosines)
    everyone = by_letters([one.text for one in REVISIONS[2:] if one.part == asked.part])
    everyone /= np.linalg.norm(everyone, axis=1, keepdims=True)
    assert cosines[-1] == pytest.approx((everyone @ rows[0]).max())


def test_examples_go_the_way_of_what_is_asked_and_never_show_its_own_tuple() -> None:
    for asked in REVISIONS[:2]:
        found = examples(pool=REVISIONS).of("random", 11, asked)

        assert {one.part for one in found} == {asked.part}
        assert asked.tuple_key not in {one.tuple_key for one in found}


def test_too_few_examples_are_told() -> None:
    with pytest.raises(RunFailure) as failure:
        examples(pool=REVISIONS[2:6]).of("random", 5, REVISIONS[0])

    assert failure.value.reason == Reason.NO_INSTANCES


def test_a_pool_is_drawn_by_tuple_or_named() -> None:
    drawn = draw_pool(REVISIONS, configured(pool_size=4), seed=1)
    named = draw_pool(REVISIONS, configured(pool=("t2", "t7"), examples=(2,)), seed=1)

    assert Counter(Counter(one.tuple_key for one in drawn).values()) == {2: 4}
    assert drawn == draw_pool(REVISIONS, configured(pool_size=4), seed=1)
    assert {one.tuple_key for one in named} == {"t2", "t7"}
    with pytest.raises(RunFailure):
        draw_pool(REVISIONS, configured(pool=("t2", "nobody"), examples=(2,)), seed=1)


# --- An endpoint --------------------------------------------------------------------------


def configured(**given: Any) -> EndpointPrompting:
    values: dict[str, Any] = {
        "model": "small",
        "endpoint": "own",
        "examples": (3,),
        "parallel": 2,
        "attempts": 3,
        "input_usd_per_million": Decimal("0.5"),
        "output_usd_per_million": Decimal("2"),
    }
    return EndpointPrompting(**values | given)


def folder_of(path: Path, configuration: EndpointPrompting, **given: Any) -> RunFolder:
    splits: dict[str, Any] = {
        "train": REVISIONS[4:],
        "validation": REVISIONS[2:4],
        "test": REVISIONS[:2],
    }
    return make_folder(path, configuration, "story-revision", **splits | given)


def asking(
    asked: Asked, path: Path, monkeypatch: pytest.MonkeyPatch, **given: Any
) -> tuple[RunFolder, EndpointPrompting]:
    monkeypatch.setenv("FABULA_ENDPOINT_OWN_URL", asked.url)
    monkeypatch.setenv("FABULA_ENDPOINT_OWN_KEY", "secret")
    monkeypatch.setattr(client, "FIRST_WAIT_SECONDS", 0.01)
    configuration = configured(**given)
    return folder_of(path, configuration), configuration


def changed(_asked: Asked, _body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return completion(" All is new. It rained. She went home.\n")


def test_an_endpoint_answers_and_everything_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(changed) as asked:
        folder, configuration = asking(asked, tmp_path / "run", monkeypatch)
        facts = run(folder, configuration)

    outputs = [*folder.generations()]
    assert [one.key for one in outputs] == [one.key for one in REVISIONS[:2]]
    assert outputs[0].text.startswith("<extra_id_1>: All is new.")
    assert outputs[0].details == {"cell": "random-3"}
    assert asked.paths == ["/v1/completions"] * 2
    assert asked.bodies[0]["temperature"] == 0.9
    assert asked.bodies[0]["frequency_penalty"] == 0.5
    assert asked.bodies[0]["max_tokens"] == 100
    assert asked.bodies[0]["prompt"].count("Revised story:") == 4
    assert facts == {
        "cell": "random-3",
        "grid": [],
        "requests": 2,
        "input_tokens": 200,
        "output_tokens": 20,
        "usd": "0.00014",
    }
    lines = [json.loads(line) for line in (folder.path / "requests.jsonl").read_text().splitlines()]
    assert {line["request"]["body"]["prompt"] for line in lines} == {
        body["prompt"] for body in asked.bodies
    }
    assert all(line["reply"]["raw"]["choices"] for line in lines)


def test_the_key_is_sent_and_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with endpoint(changed) as asked:
        folder, configuration = asking(asked, tmp_path / "run", monkeypatch)
        run(folder, configuration)

    assert set(asked.keys) == {"Bearer secret"}
    written = b"".join(path.read_bytes() for path in folder.path.rglob("*") if path.is_file())
    assert b"secret" not in written


def test_a_chat_is_asked_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def chat(_asked: Asked, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        assert body["messages"][0]["role"] == "user"
        said = {"message": {"content": "Revised story: All is new. It rained. She went."}}
        return 200, {"choices": [said]}

    with endpoint(chat) as asked:
        folder, configuration = asking(asked, tmp_path / "run", monkeypatch, api="chat")
        facts = run(folder, configuration)

    assert asked.paths == ["/v1/chat/completions"] * 2
    assert "All is new." in next(folder.generations()).text
    assert Decimal(facts["usd"]) == 0


def test_no_more_requests_than_allowed_are_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(asked: Asked, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        time.sleep(0.05)
        return changed(asked, body)

    with endpoint(slow) as asked:
        _folder, configuration = asking(asked, tmp_path / "run", monkeypatch, parallel=3)
        folder = folder_of(tmp_path / "more", configuration, test=REVISIONS[4:], train=REVISIONS)
        run(folder, configuration)

    assert asked.most == 3


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(asked: Asked, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        first = sum(one == body for one in asked.bodies) == 1
        return (status, {"error": "busy"}) if first else changed(asked, body)

    with endpoint(busy) as asked:
        folder, configuration = asking(asked, tmp_path / "run", monkeypatch)
        facts = run(folder, configuration)

    assert len(asked.bodies) == 4
    assert facts["requests"] == 2
    assert len([*folder.generations()]) == 2


def test_an_endpoint_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    asker = client.Endpoint(configured(), client.Address("http://own.example", ""))
    asker.sleep = waited.append

    class Busy:
        status, data, headers = 429, b"", {"Retry-After": "7"}

    monkeypatch.setattr(asker.pool, "request", lambda *given, **named: Busy())
    with pytest.raises(RunFailure) as failure:
        asker.ask({})

    assert waited == [7.0, 7.0]
    assert failure.value.detail == "status 429"


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        ((503, {}), Reason.NO_ANSWER, "status 503"),
        (
            (401, {"error": "who are you"}),
            Reason.REFUSED_TO_ANSWER,
            'status 401: {"error": "who are you"}',
        ),
    ],
)
def test_an_endpoint_that_does_not_answer_fails_the_run(
    answer: Any, reason: Reason, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(lambda asked, body: answer) as asked:
        folder, configuration = asking(asked, tmp_path / "run", monkeypatch)
        with pytest.raises(RunFailure) as failure:
            run(folder, configuration)

    assert (failure.value.reason, failure.value.detail) == (reason, detail)
    assert not (folder.path / "generations.jsonl").exists()


ODD = {
    "half a pair": {"text": "caf\ud83d is new. It rained."},
    "NUL": {"text": "caf\0 is new. It rained."},
    "parts": {
        "message": {
            "content": [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "text", "text": "caf\ufffd is new. "},
                {"type": "text", "text": "It rained."},
            ]
        }
    },
}


@pytest.mark.parametrize("choice", ODD.values(), ids=ODD)
@pytest.mark.parametrize("usage", [None, [1], {"prompt_tokens": "many"}, {"prompt_tokens": 10**30}])
def test_an_odd_answer_with_a_text_is_taken_and_paid_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choice: dict[str, Any], usage: Any
) -> None:
    said = {"choices": [choice], "usage": usage, "note": "\udc80\0"}
    with endpoint(lambda _asked, _body: (200, said)) as asked:
        folder, configuration = asking(asked, tmp_path / "run", monkeypatch)
        facts = [run(folder, configuration) for _ in range(2)]

    assert len(asked.bodies) == 2
    assert facts[0] == facts[1]
    assert (facts[0]["requests"], facts[0]["uncounted"]) == (2, 2)
    assert Decimal(facts[0]["usd"]) == 0
    assert next(folder.generations()).text.startswith("<extra_id_1>: caf\ufffd is new.")


def test_a_text_that_was_cut_within_a_character_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    asker = client.Endpoint(configured(), client.Address("http://own.example", ""))

    class Cut:
        status, data = 200, b'{"choices": [{"text": "caf\xc3"}]}'

    monkeypatch.setattr(asker.pool, "request", lambda *given, **named: Cut())

    assert asker.ask({}).text == "caf\ufffd"


@pytest.mark.parametrize(
    "said",
    [
        {"choices": []},
        {"choices": [7]},
        {"choices": [{"text": 7}]},
        {"choices": [{"message": "Hello."}]},
        {"choices": [{"message": {"content": ["Hello."]}}]},
        {"choices": [{"message": {"content": [{"type": "text", "text": 7}]}}]},
        [1],
    ],
)
def test_an_answer_without_a_text_fails_the_run_in_words(
    said: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(lambda _asked, _body: (200, said)) as asked:
        folder, configuration = asking(asked, tmp_path / "run", monkeypatch)
        with pytest.raises(RunFailure) as failure:
            run(folder, configuration)

    assert failure.value.reason == Reason.UNREADABLE_ANSWER
    assert json.loads(failure.value.detail) == said
    assert "no text in what the endpoint answered" in what_failed(failure.value.reason)
    assert Answers(folder.path).figures()["requests"] == 0


def test_an_endpoint_that_the_worker_does_not_know_is_named(tmp_path: Path) -> None:
    configuration = configured(endpoint="other")

    with pytest.raises(RunFailure) as failure:
        run(folder_of(tmp_path, configuration), configuration)

    assert failure.value.reason == Reason.NO_ENDPOINT
    assert failure.value.detail == "other: FABULA_ENDPOINT_OTHER_URL"


def test_what_was_answered_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that an endpoint's failure ends has paid for what came before it."""

    def third_fails(asked: Asked, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return changed(asked, body) if len(asked.bodies) < 3 else (401, {})

    many = {"train": REVISIONS, "test": REVISIONS[4:12]}
    with endpoint(third_fails) as asked:
        _folder, configuration = asking(asked, tmp_path / "run", monkeypatch, parallel=1)
        folder = folder_of(tmp_path / "again", configuration, **many)
        with pytest.raises(RunFailure):
            run(folder, configuration)
        answered = asked.bodies[:2]
    with endpoint(changed) as asked:
        monkeypatch.setenv("FABULA_ENDPOINT_OWN_URL", asked.url)
        facts = run(folder, configuration)

    assert len(asked.bodies) == 6
    assert not [one for one in asked.bodies if one in answered]
    assert facts["requests"] == 8
    assert len([*folder.generations()]) == 8


def test_cancelling_keeps_answers_that_are_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(changed) as asked:
        _folder, configuration = asking(asked, tmp_path / "run", monkeypatch, parallel=2)
        folder = folder_of(tmp_path / "stop", configuration, train=REVISIONS, test=REVISIONS[4:])
        keep = Answers.keep

        def cancelling(self: Answers, request: Request, reply: Reply) -> None:
            folder.request_cancel()
            keep(self, request, reply)

        monkeypatch.setattr(Answers, "keep", cancelling)
        with pytest.raises(RunCancelled):
            run(folder, configuration)

    assert len(asked.bodies) <= 4
    assert Answers(folder.path).figures()["requests"] == len(asked.bodies)


def test_half_a_line_is_no_answer(tmp_path: Path) -> None:
    first, second = (Request(key, "random-3", {"prompt": key}) for key in ("a", "b"))
    Answers(tmp_path).keep(first, Reply("one", 1, 2, "0.5"))
    with (tmp_path / "requests.jsonl").open("ab") as file:
        file.write(b'{"key": "cut')

    answers = Answers(tmp_path)
    answers.keep(second, Reply("two", 1, 2, "0.25"))

    again = Answers(tmp_path)
    assert (again[first].text, again[second].text) == ("one", "two")
    assert again.figures()["usd"] == "0.75"


def test_only_the_same_request_has_the_same_answer() -> None:
    one: dict[str, Any] = {"instance": "a", "cell": "random-3", "body": {"prompt": "x"}}
    others: list[dict[str, Any]] = [
        {"instance": "b"},
        {"cell": "random-5"},
        {"body": {"prompt": "x", "temperature": 0.1}},
    ]

    keys = {Request(**one | other).key for other in [{}, *others]}

    assert len(keys) == 4
    assert Request(**one).key == Request(**one).key


def test_a_folder_without_training_rows_has_no_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(changed) as asked:
        _folder, configuration = asking(asked, tmp_path / "run", monkeypatch)
        nothing: list[Instance] = []
        folder = folder_of(tmp_path / "none", configuration, train=nothing)
        with pytest.raises(RunFailure) as failure:
            run(folder, configuration)

    assert failure.value.reason == Reason.NO_INSTANCES
    assert not asked.bodies
