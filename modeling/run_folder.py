"""A run's folder: what its runner is given, and what it leaves behind. Knows nothing of Django.

config.json                      what to do; written last, so that with it the folder is whole
train.jsonl validation.jsonl test.jsonl    instances, one a line
owner                            the token of the attempt that may write here
cancel                           somebody asked to stop
events.jsonl                     progress, one a line
runner.log                       what the runner's process said
checkpoints/step-000000000120/   whole once it has this name
generations.jsonl                outputs, whole once it has this name
outcome.json                     how it ended
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

from modeling.instances.instance import Instance

TRAIN, VALIDATION, TEST = SPLITS = ("train", "validation", "test")
DONE, FAILED, CANCELLED = "done", "failed", "cancelled"
TAIL_BYTES = 16_384
_STEP = "step-"


def run_named(model: str) -> UUID | None:
    """The id of a run, which stands for its last checkpoint; None for any other name of a model."""
    try:
        return UUID(model)
    except ValueError:
        return None


def place_among_runs(name: str, runs: Path, start: Path) -> Path | None:
    """Where in the folder of all runs the name of a model leads, as a path that begins at `start`,
    links followed; None where it leads elsewhere."""
    runs, place = (Path(os.path.realpath(path)) for path in (runs, start / name))
    return place.relative_to(runs) if place.is_relative_to(runs) else None


class Reason(StrEnum):
    """Why a run failed. The words for it are in modeling/runs/words.py."""

    OUT_OF_MEMORY = "out-of-memory"
    DISK_FULL = "disk-full"
    NOT_A_NUMBER = "not-a-number"
    NO_TORCH = "no-torch"
    NO_MODEL = "no-model"
    FOLDER_OF_A_RUN = "folder-of-a-run"
    NO_INSTANCES = "no-instances"
    NO_ENDPOINT = "no-endpoint"
    NO_ANSWER = "no-answer"
    REFUSED_TO_ANSWER = "refused-to-answer"
    UNREADABLE_ANSWER = "unreadable-answer"
    BAD_CONFIGURATION = "bad-configuration"
    BAD_DATA = "bad-data"
    KILLED = "killed"
    UNEXPECTED = "unexpected"


@dataclass(frozen=True)
class Outcome:
    """How the runner ended: `reason` why it failed, `detail` what that was about (a model's name, a
    step), `facts` what else there is to say, such as the model's revision."""

    state: str
    reason: str = ""
    detail: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Output:
    """What a model answered to an instance of the test split; `checkpoint` says which model."""

    key: str
    text: str
    checkpoint: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


class RunFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = path / "runner.log"
        self.checkpoints = path / "checkpoints"

    # --- What the runner is given ---------------------------------------------------------

    def write_config(self, config: Mapping[str, Any]) -> None:
        self._write("config.json", json.dumps(config, ensure_ascii=False, indent=1))

    def has_config(self) -> bool:
        return (self.path / "config.json").exists()

    def config(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.path / "config.json").read_text("utf-8"))
        return read

    def write_instances(self, split: str, instances: Iterable[Instance]) -> int:
        """How many there were."""
        return self._write_lines(f"{split}.jsonl", (asdict(instance) for instance in instances))

    def has_instances(self, split: str) -> bool:
        """Whether they were written, be it none."""
        return (self.path / f"{split}.jsonl").exists()

    def instances(self, split: str) -> Iterator[Instance]:
        """Nothing where the run has none of this split."""
        for line in self._lines(f"{split}.jsonl"):
            yield Instance(**line)

    def write_rows(self, rows: Mapping[str, int]) -> None:
        """Which row of the release each tuple is, by its key."""
        self._write("rows.json", json.dumps(rows))

    def rows(self) -> dict[str, int]:
        path = self.path / "rows.json"
        read: dict[str, int] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return read

    def data_sha256(self) -> str:
        """Over the instances of all splits, as they are given to the runner."""
        digest = hashlib.sha256()
        for split in SPLITS:
            for line in self._raw_lines(f"{split}.jsonl"):
                digest.update(f"{split}\t".encode() + line)
        return digest.hexdigest()

    def claim(self, token: str) -> None:
        """From now on the folder is this attempt's; what is left of an earlier one stops."""
        (self.path / "cancel").unlink(missing_ok=True)
        (self.path / "outcome.json").unlink(missing_ok=True)
        self._write("owner", token)

    def owner(self) -> str:
        return (self.path / "owner").read_text("utf-8")

    # --- Stopping -------------------------------------------------------------------------

    def request_cancel(self) -> None:
        (self.path / "cancel").touch()

    def is_cancel_requested(self) -> bool:
        return (self.path / "cancel").exists()

    # --- Progress -------------------------------------------------------------------------

    def append_event(self, event: Mapping[str, Any]) -> None:
        """In one write, so that no reader sees half a line that another follows."""
        line = json.dumps(event, ensure_ascii=False, allow_nan=False) + "\n"
        with (self.path / "events.jsonl").open("ab", buffering=0) as file:
            file.write(line.encode())

    def events(self, after: int = 0) -> tuple[list[dict[str, Any]], int]:
        """Those from byte `after` on, and where the next begin. A last line that a kill cut off is
        left, and passed over once something follows it."""
        path = self.path / "events.jsonl"
        if not path.exists():
            return [], after
        with path.open("rb") as file:
            file.seek(after)
            whole, newline, _rest = file.read().rpartition(b"\n")
        found = [event for line in whole.split(b"\n") if (event := _parsed(line)) is not None]
        return found, after + len(whole) + len(newline)

    def last_words(self, lines: int = 20) -> str:
        """The end of what the runner's process said."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            said = file.read().decode(errors="replace")
        return "\n".join(said.strip().splitlines()[-lines:])

    # --- Checkpoints ----------------------------------------------------------------------

    @contextmanager
    def new_checkpoint(self, step: int, *, keep: int = 1) -> Iterator[Path]:
        """A folder to fill, which counts from the end of the `with` on; of the earlier ones the
        last `keep - 1` stay."""
        final = self.checkpoints / f"{_STEP}{step:012}"
        partial = self.checkpoints / f"partial-{os.getpid()}"
        self._clear_partial()
        partial.mkdir(parents=True)
        yield partial
        for path in sorted(partial.rglob("*")):
            _sync(path)
        shutil.rmtree(final, ignore_errors=True)
        partial.rename(final)
        _sync(self.checkpoints)
        for old in self._whole_checkpoints()[:-keep]:
            shutil.rmtree(old)

    def latest_checkpoint(self) -> Path | None:
        whole = self._whole_checkpoints()
        return whole[-1] if whole else None

    def _whole_checkpoints(self) -> list[Path]:
        return sorted(self.checkpoints.glob(f"{_STEP}*"))

    def _clear_partial(self) -> None:
        for left in self.checkpoints.glob("partial-*"):
            shutil.rmtree(left)

    # --- The end --------------------------------------------------------------------------

    def write_generations(self, outputs: Iterable[Output]) -> int:
        return self._write_lines("generations.jsonl", (asdict(output) for output in outputs))

    def generations(self) -> Iterator[Output]:
        for line in self._lines("generations.jsonl"):
            yield Output(**line)

    def write_outcome(self, outcome: Outcome) -> None:
        self._write("outcome.json", json.dumps(asdict(outcome), ensure_ascii=False))

    def outcome(self) -> Outcome | None:
        path = self.path / "outcome.json"
        return Outcome(**json.loads(path.read_text("utf-8"))) if path.exists() else None

    # --- Files that are there whole or not at all -----------------------------------------

    def _write(self, name: str, text: str) -> None:
        self._replace(name, [text])

    def _write_lines(self, name: str, rows: Iterable[Mapping[str, Any]]) -> int:
        return self._replace(name, (json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    def _replace(self, name: str, parts: Iterable[str]) -> int:
        self.path.mkdir(parents=True, exist_ok=True)
        partial = self.path / f".{name}-{os.getpid()}"
        count = 0
        with partial.open("w", encoding="utf-8") as file:
            for part in parts:
                file.write(part)
                count += 1
            file.flush()
            os.fsync(file.fileno())
        partial.rename(self.path / name)
        return count

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        yield from map(json.loads, self._raw_lines(name))

    def _raw_lines(self, name: str) -> Iterator[bytes]:
        path = self.path / name
        if path.exists():
            with path.open("rb") as file:
                yield from file


def checkpoint_step(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix(_STEP))


def step_of_checkpoint(name: str) -> int | None:
    """None where a method without weights of its own has named something else."""
    step = name.removeprefix(_STEP)
    return int(step) if name.startswith(_STEP) and step.isdecimal() else None


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        parsed = json.loads(line)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
