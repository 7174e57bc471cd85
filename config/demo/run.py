"""The demo from its first line to its last."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from config.demo import banner, health, ports, programs
from config.demo.children import Child, Children
from config.demo.environment import demo_environment
from config.demo.errors import DemoError, Stopped
from config.demo.terminal import Terminal
from config.embedded import Services, lock
from config.embedded.layout import data_folder
from config.embedded.state import write_private

TICK = 0.1
KEEP_SECONDS = 2.0
RESTARTS = 5
RESTART_SPAN_SECONDS = 60.0


class Demo:
    """Brings the demo up, keeps it up, takes it down. `stopping` tells when somebody asked."""

    def __init__(self, *, terminal: Terminal, stopping: Callable[[], bool]) -> None:
        self.terminal = terminal
        self.stopping = stopping
        self.port = ports.chosen_port()
        self.var = data_folder()
        self.logs = self.var / "logs"
        self.restarts: dict[str, list[float]] = {}

    def run(self) -> None:
        """Run until asked to stop. Raises DemoError or ServiceError with a sentence."""
        self.logs.mkdir(parents=True, exist_ok=True)
        held = self._be_the_only_one()
        try:
            ports.check_free(self.port)
            self.terminal.step("Starting PostgreSQL and Valkey")
            with Services() as services:
                if services.notice:
                    self.terminal.step(services.notice)
                self._run_on(services)
        finally:
            os.close(held)

    def _run_on(self, services: Services) -> None:
        self.env = demo_environment(var=self.var, port=self.port)
        with Children(logs=self.logs) as self.children:
            try:
                self.terminal.step("Preparing the database")
                self._finish("migrate", programs.manage_command("migrate", "--noinput"))
                self.terminal.step("Starting the site")
                for name in self.commands():
                    self._start(name)
                self._wait_for_the_site()
                self.terminal.step("Seeding the study")
                banner.show(self.terminal, port=self.port, seeded=self._seed(), var=self.var)
                self._watch(services)
            except Stopped:
                pass
            self.terminal.say()
            self.terminal.step("Stopping")
        self.terminal.step("Stopped. Your data is kept")

    def commands(self) -> dict[str, list[str]]:
        return {
            programs.WEB: programs.web_command(ports.addresses(self.port)),
            programs.WORKER: programs.worker_command(),
            programs.RUNS: programs.runs_command(),
            programs.BEAT: programs.beat_command(),
        }

    def _be_the_only_one(self) -> int:
        path = self.var / "demo.lock"
        held = lock.take(path, shared=False, seconds=1)
        if held is None:
            raise DemoError(
                f"The demo is running already with the data in {self.var}{_where(path)}. Stop it "
                "first, or start a second copy: FABULA_VAR=var-2 FABULA_PORT=8010 make demo"
            )
        os.ftruncate(held, 0)
        os.pwrite(held, str(self.port).encode(), 0)
        return held

    def _start(self, name: str) -> Child:
        return self.children.start(name, self.commands()[name], env=self.env)

    def _finish(self, name: str, command: list[str], output: Path | None = None) -> None:
        """Run a command to its end."""
        child = self.children.start(name, command, env=self.env, output=output)
        while child.alive():
            self._pause()
        self.children.forget(child)
        if child.process.returncode:
            raise DemoError(f"The step {name!r} failed. {_last_words(child)}")

    def _seed(self) -> banner.Seeded:
        output = self.var / "seeded.json"
        write_private(output, "")
        self._finish("seed", programs.manage_command("seed_demo", "--format", "json"), output)
        said = json.loads(output.read_text())
        return banner.Seeded(**{name: said[name] for name in banner.Seeded.__annotations__})

    def _wait_for_the_site(self) -> None:
        deadline = time.monotonic() + health.ANSWER_SECONDS
        web = self.children.running[programs.WEB]
        while not health.answers(self.port):
            if not web.alive():
                raise DemoError(f"The site stopped as it started. {_last_words(web)}")
            if time.monotonic() > deadline:
                raise DemoError(f"The site does not answer. {_last_words(web)}")
            self._pause()

    def _watch(self, services: Services) -> None:
        """Keep everything up until somebody asks to stop."""
        checked = time.monotonic()
        while True:
            self._pause()
            if time.monotonic() > checked + KEEP_SECONDS:
                checked = time.monotonic()
                services.keep()
            for child in list(self.children.running.values()):
                if not child.alive():
                    self._restart(child)

    def _restart(self, child: Child) -> None:
        self.children.forget(child)
        now = time.monotonic()
        recent = [at for at in self.restarts.get(child.name, []) if at > now - RESTART_SPAN_SECONDS]
        if len(recent) == RESTARTS:
            raise DemoError(
                f"The process {child.name!r} stops again and again. {_last_words(child)}"
            )
        self.restarts[child.name] = [*recent, now]
        self.terminal.step(f"The process {child.name!r} had stopped and was started again")
        self._start(child.name)

    def _pause(self) -> None:
        if self.stopping():
            raise Stopped
        time.sleep(TICK)


def _last_words(child: Child) -> str:
    said = child.tail(1).strip().rstrip(".")
    return f"Its last words: {said}. The log is {child.log}."


def _where(path: Path) -> str:
    port = path.read_text().strip()
    return f", at http://localhost:{port}/" if port else ""
