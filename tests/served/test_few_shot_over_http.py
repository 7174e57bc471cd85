"""Few-shot prompts answered by a model behind HTTP, through a kill -9 of what serves it.

`make test-models` alone runs this: it fetches weights of 90 MB and takes minutes.
"""

import io
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from modeling.models import Run, RunState
from modeling.prompting.layouts import LAYOUTS
from tests.annotation.releases.world import past_rows
from tests.modeling.running import runs_folder
from tests.served.model import smollm
from tests.served.server import ModelServer
from tests.studies.factories import make_study
from tests.studies.published import lines

__all__ = ["runs_folder"]
pytestmark = [
    pytest.mark.served,
    pytest.mark.django_db,
    pytest.mark.usefixtures("runs_folder"),
    pytest.mark.timeout(600),
]

TASK = "story-revision"
EXAMPLES, NEW_TOKENS = 5, 24
TEST_TUPLES, INSTANCES = 3, 6
ANSWERED_FIRST = 2


@pytest.fixture(scope="module")
def model() -> Path:
    return smollm(Path(settings.VAR_DIR) / "models")


@pytest.fixture(scope="module")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    server = ModelServer(model, tmp_path_factory.mktemp("served") / "log")
    yield server
    server.kill()


@pytest.fixture
def stories(tmp_path: Path) -> dict[str, Path]:
    files = {"train": past_rows(8, 1), "test": past_rows(TEST_TUPLES, 1, first=8)}
    for split, rows in files.items():
        (tmp_path / f"{split}.jsonl").write_bytes(lines(*rows))
    return {split: tmp_path / f"{split}.jsonl" for split in files}


def run_model(*given: Any) -> None:
    call_command("run_model", *map(str, given), "--here", stdout=io.StringIO())


def ask(stories: dict[str, Path], method: str, *changes: str) -> None:
    """Greedy and without penalties: these the server understands in a way of its own."""
    files = [part for split, file in stories.items() for part in (f"--{split}", file)]
    common = [f"examples=[{EXAMPLES}]", f"max_new_tokens={NEW_TOKENS}", "temperature=0"]
    what = ["--task", TASK, "--method", method, "--seed", 1]
    changes = (*common, "frequency_penalty=0", *changes)
    run_model(make_study().slug, *files, *what, "--set", *changes)


def exchanges(run: Run) -> list[dict[str, Any]]:
    file = run.folder.path / "requests.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def kill_after(server: ModelServer, folder: Path, answers: int) -> threading.Thread:
    """In the midst of the answer that follows so many that are kept."""

    def watch() -> None:
        while (
            sum(file.read_bytes().count(b"\n") for file in folder.rglob("requests.jsonl")) < answers
        ):
            time.sleep(0.02)
        server.kill()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_prompts_are_answered_and_no_answer_is_asked_for_twice(
    server: ModelServer,
    model: Path,
    stories: dict[str, Path],
    runs_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FABULA_ENDPOINT_SMOL_URL", f"{server.url}/v1")
    monkeypatch.setenv("FABULA_ENDPOINT_SMOL_KEY", "secret")
    here = [f"model={model}", "endpoint=smol", "parallel=1", "attempts=2", "timeout_seconds=120"]

    killing = kill_after(server, runs_folder, ANSWERED_FIRST)
    with pytest.raises(CommandError) as failure:
        ask(stories, "prompt-endpoint", *here)
    killing.join(timeout=60)
    run = Run.objects.get()
    first = exchanges(run)
    assert run.state == RunState.FAILED and not run.generations.exists()
    assert run.error in str(failure.value)
    assert run.error.startswith("The endpoint did not answer.")
    assert run.error.endswith("Resume the run later: what has been answered is kept.")
    assert ANSWERED_FIRST <= len(first) < INSTANCES

    before = server.answered()
    server.start()
    run_model(run.study.slug, "--resume", run.pk)

    run.refresh_from_db()
    assert run.state == RunState.DONE, run.error
    assert server.answered() - before == INSTANCES - len(first)
    assert exchanges(run)[: len(first)] == first
    assert_stored(run, model)

    ask(stories, "prompt-local", f"model={model}", "precision=float32")
    local = Run.objects.exclude(pk=run.pk).get()
    assert outputs_of(run) == outputs_of(local)


def assert_stored(run: Run, model: Path) -> None:
    """Every prompt with its examples, its answer, and as many tokens as the model's own tokenizer
    finds in them."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    asked = {one.key: one for one in run.folder.instances("test")}
    kept = {one["request"]["instance"]: one for one in exchanges(run)}
    assert set(kept) == set(asked) and len(asked) == INSTANCES
    for key, one in kept.items():
        prompt, reply = one["request"]["body"]["prompt"], one["reply"]
        assert prompt.count("Revised story:") == EXAMPLES + 1
        assert reply["input_tokens"] == len(tokenizer(prompt)["input_ids"])
        assert 0 < reply["output_tokens"] <= NEW_TOKENS
        assert reply["text"].strip() and reply["raw"]["model"] == str(model)
        assert outputs_of(run)[key] == LAYOUTS[TASK].output(asked[key], reply["text"])
    assert run.facts["requests"] == INSTANCES
    for tokens in ("input_tokens", "output_tokens"):
        assert run.facts[tokens] == sum(one["reply"][tokens] for one in kept.values())


def outputs_of(run: Run) -> dict[str, str]:
    return dict(run.generations.values_list("instance_key", "output"))
