"""Stories in and responses out, by the commands a researcher uses, and the memory they take."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workers import Worker
from config.embedded.layout import BASE_DIR
from tests.e2e import study
from tests.stack import Stack

# One confirmed response, copied so many times, each to a task of its own.
COPY_RESPONSES = (
    """
    INSERT INTO studies_task (round_id, story_id, position, payload, overlap, taken, tie_break)
    SELECT round_id, story_id, 1000000 + n, payload, 1, 1, n
    FROM studies_task, generate_series(1, %s) n WHERE position = 1
    """,
    """
    INSERT INTO studies_assignment (task_id, participant_id, marketplace_id, state, accepted_at,
           deadline, draft, evidence, submitted_at)
    SELECT t.id, p.id, upper(substr(md5(t.id::text) || md5(t.id::text), 1, 30)), 'approved',
           now(), now(), '{}', '{}', now()
    FROM studies_task t, (SELECT id FROM studies_participant ORDER BY id LIMIT 1) p
    WHERE t.position > 1000000
    """,
    """
    INSERT INTO studies_response (assignment_id, task_type, schema_version, answers, cautions,
           state, submitted_at, confirmed_at)
    SELECT a.id, r.task_type, r.schema_version, r.answers, r.cautions, 'confirmed', now(), now()
    FROM studies_assignment a JOIN studies_task t ON t.id = a.task_id,
         (SELECT * FROM studies_response ORDER BY id LIMIT 1) r
    WHERE t.position > 1000000
    """,
    "VACUUM ANALYZE",
)


def write_stories(file: Path, count: int) -> None:
    with file.open("w", encoding="utf-8") as out:
        out.write("story_id,title,line1,line2,line3,line4,line5\n")
        for number in range(count):
            sentences = ",".join(f"{line} {number}" for line in study.STORIES[number % 4])
            out.write(f"b-{number},Story {number},{sentences}\n")


@dataclass(frozen=True)
class Taken:
    """What a command took from its start to its end: by the clock, of the processor, of memory."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def start_up(stack: Stack) -> Taken:
    """A command that finds no file to read: what the others take before their first row."""
    stack.run_manage("create_study", "nothing", check=False)
    return measured(stack, "import_stories", "nothing", "/dev/null", status=1)


def bring_in(stack: Stack, slug: str, file: Path) -> Taken:
    stack.run_manage("create_study", slug)
    return measured(stack, "import_stories", slug, str(file))


def fill_responses(stack: Stack, worker: Worker, *, count: int) -> None:
    """So many confirmed responses in the round, from one that was really given."""
    worker.do_one()
    for statement in COPY_RESPONSES:
        stack.query(statement, *([count] if "%s" in statement else []))


def take_out(stack: Stack, file: Path, *, fmt: str) -> Taken:
    command = ("export_responses", study.STUDY, f"--format={fmt}", f"--output={file}", "--force")
    return measured(stack, *command)


@contextmanager
def people_at_work(workers: list[Worker]) -> Iterator[None]:
    """Workers who go on doing tasks meanwhile."""
    over = threading.Event()
    failures: list[BaseException] = []

    def work(worker: Worker) -> None:
        try:
            while not over.is_set():
                worker.do_one()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[worker]) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


def measured(stack: Stack, *arguments: str, status: int = 0) -> Taken:
    """Run a management command as an installed site does: its modules are compiled already."""
    env = {name: value for name, value in stack.env.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(stack.folder / "compiled")
    used = os.times()
    started = time.perf_counter()
    command = [sys.executable, "manage.py", *arguments]
    process = subprocess.Popen(
        command, cwd=BASE_DIR, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _peak_mib(process.pid))
        time.sleep(0.02)
    seconds = time.perf_counter() - started
    assert process.returncode == status, f"{arguments[0]} ended with {process.returncode}"
    ended = os.times()
    cpu = ended.children_user + ended.children_system - used.children_user - used.children_system
    return Taken(seconds, cpu, peak)


def _peak_mib(pid: int) -> float:
    """What Linux notes of the program itself; getrusage counts the process it was forked from."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, flags=re.M)
    # A process that has just ended has no memory any more.
    return int(found[1]) / 1024 if found else 0.0
