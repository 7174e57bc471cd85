"""Somebody who runs a study by commands: brings stories, launches, changes, exports; at random."""

import csv
import json
import queue
import random
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg2

from tests.chaos.promises import Promises
from tests.chaos.site import Site

STUDY = "harbour"
STORIES = 40
ROUND_STORIES = 10
OVERLAP = 2
ENOUGH_ON_OFFER = 25
LINES = (
    "Ilse left the office without her umbrella.",
    "Halfway to the bridge it began to pour.",
    "She stopped under the awning of a bakery.",
    "The baker waved her in and put a bun on a plate.",
    "Ilse stayed until the street was dry.",
)

Action = Callable[[], None]


class Researcher(threading.Thread):
    def __init__(self, site: Site, promises: Promises, seed: int) -> None:
        super().__init__(name="researcher", daemon=True)
        self.site = site
        self.promises = promises
        self.draw = random.Random(seed)
        self.stopping = threading.Event()
        self.folder = site.folder / "exports"
        self.folder.mkdir()
        self.wishes: queue.SimpleQueue[Action] = queue.SimpleQueue()
        self._imports = 0

    def run(self) -> None:
        actions = [self.bring_stories, self.export, self.export, self.extend, self.pause_or_resume]
        while not self.stopping.is_set():
            try:
                self._next(actions)()
            except psycopg2.Error:
                self.promises.count_retry("look")

    def _next(self, actions: list[Action]) -> Action:
        """What was wished for; else, after a while, what comes to mind."""
        with suppress(queue.Empty):
            return self.wishes.get(timeout=self.draw.uniform(0.2, 2.0))
        on_offer = self._number("SELECT sum(available_count) FROM marketplace_hittype")
        return self.launch if on_offer < ENOUGH_ON_OFFER else self.draw.choice(actions)

    def wish(self, operation: str) -> None:
        """Have this done next, if it is something that a researcher does."""
        wishes = {"publish": self.launch, "import": self.bring_stories, "export": self.export}
        if operation in wishes and self.wishes.empty():
            self.wishes.put(wishes[operation])

    def set_up(self) -> None:
        settings = self.site.env
        self.site.manage(
            "create_requester",
            "Harbour lab",
            f"--access-key-id={settings['MTURK_ACCESS_KEY_ID']}",
            f"--secret-access-key={settings['MTURK_SECRET_ACCESS_KEY']}",
            f"--signing-secret={settings['MTURK_SIGNING_SECRET']}",
            "--balance=100000",
        )
        self.site.manage("create_study", STUDY, "--title", "Harbour stories")
        self.site.query("UPDATE studies_study SET records_process = false, consent_text = ''")
        self.bring_stories()
        self.launch()

    # --- What a researcher does -------------------------------------------------------------------

    def bring_stories(self) -> None:
        """The same file again until it is known to be in."""
        waiting = [prefix for prefix, (_n, known) in self.promises.imported.items() if not known]
        prefix = waiting[0] if waiting else self._new_file()
        if self._run("import", "import_stories", STUDY, str(self.folder / f"{prefix}.csv")):
            self.promises.imported[prefix] = (STORIES, True)

    def launch(self) -> None:
        seed = self.draw.randrange(1, 2**31)
        self.promises.launched[seed] = False
        options = [f"--overlap={OVERLAP}", f"--limit={ROUND_STORIES}", f"--seed={seed}"]
        if self.draw.random() < 0.6:
            options.append("--detach")
        options += ["--task=state_annotation", "--reward=0.35", "--format=json"]
        if self._run("publish", "launch_round", STUDY, *options):
            self.promises.launched[seed] = True

    def extend(self) -> None:
        chosen = self._round("r.state IN ('open', 'paused')")
        if chosen and self._run(
            "extend", "change_round", STUDY, str(chosen[0]), "extend", "--overlap=1"
        ):
            self.promises.extended[chosen[1]] += 1

    def pause_or_resume(self) -> None:
        chosen = self._round("r.state = 'paused'")
        change = "resume" if chosen else "pause"
        chosen = chosen or self._round("r.state IN ('open', 'publishing')")
        if chosen:
            self._run(change, "change_round", STUDY, str(chosen[0]), change)

    def resume_all(self) -> None:
        """At the end, so that nothing is left paused."""
        while chosen := self._round("r.state = 'paused'"):
            self._run("resume", "change_round", STUDY, str(chosen[0]), "resume")

    def export(self) -> None:
        file = self.folder / f"export-{len(list(self.folder.iterdir()))}.jsonl"
        confirmed = self._number("SELECT count(*) FROM studies_response WHERE state = 'confirmed'")
        arguments = ["export_responses", STUDY, "--format=jsonl", f"--output={file}"]
        if self._run("export", *arguments):
            self.promises.exported[str(file)] = confirmed

    # --- Inside -----------------------------------------------------------------------------------

    def _run(self, what: str, *arguments: str) -> bool:
        """Run a command; whether it ended well. Not so: whether it was done is not known."""
        with self.promises.under_way(what):
            failed = self.site.commands.run(*arguments)
        if failed:
            self.promises.count_retry(what)
            return False
        self.promises.count(what)
        return True

    def _new_file(self) -> str:
        self._imports += 1
        prefix = f"batch{self._imports}"
        with (self.folder / f"{prefix}.csv").open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(["story_id", "title", *(f"line{n}" for n in range(1, 6))])
            for number in range(STORIES):
                lines = [f"{line[:-1]}, {prefix} {number}." for line in LINES]
                writer.writerow([f"{prefix}-{number:03}", f"Harbour {number}", *lines])
        self.promises.imported[prefix] = (STORIES, False)
        return prefix

    def _round(self, condition: str) -> tuple[Any, ...] | None:
        rows = self.site.query(f"SELECT r.number, r.seed FROM studies_round r WHERE {condition}")
        return self.draw.choice(sorted(rows)) if rows else None

    def _number(self, statement: str) -> int:
        return int(self.site.query(statement)[0][0] or 0)


def broken_exports(promises: Promises, folder: Path) -> list[str]:
    """A file under its final name is whole; one that was acknowledged is there."""
    broken = [f"{name} is gone" for name in promises.exported if not Path(name).exists()]
    for file in sorted(folder.glob("export-*.jsonl")):
        text = file.read_text(encoding="utf-8")
        least = promises.exported.get(str(file), 0)
        try:
            rows = [json.loads(line) for line in text.splitlines()]
        except ValueError:
            broken.append(f"{file.name} holds half a line")
            continue
        if (text and not text.endswith("\n")) or len(rows) < least:
            broken.append(f"{file.name} has {len(rows)} rows, {least} were confirmed before")
    return broken
