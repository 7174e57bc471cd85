"""An OpenAI-compatible endpoint: bounded requests at once, patience where it is busy."""

import json
import os
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import urllib3

from modeling.methods import EndpointPrompting
from modeling.prompting.answers import Reply, Request
from modeling.reporting import RunFailure
from modeling.run_folder import Reason

OK = 200
BUSY = frozenset({408, 409, 429, *range(500, 600)})
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1.0, 60.0
PATHS = {"completions": "/completions", "chat": "/chat/completions"}
MILLION = Decimal(1_000_000)
MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True)
class Address:
    """Of the worker: `url` up to `/v1`. The key is no part of what a run stores."""

    url: str
    key: str


def address_of(name: str) -> Address:
    """Raises RunFailure where this worker does not know the endpoint."""
    variable = f"FABULA_ENDPOINT_{name.upper()}_URL"
    url = os.environ.get(variable, "")
    if not url.startswith(("http://", "https://")):
        raise RunFailure(Reason.NO_ENDPOINT, f"{name}: {variable}")
    return Address(url.rstrip("/"), os.environ.get(f"FABULA_ENDPOINT_{name.upper()}_KEY", ""))


@dataclass(frozen=True)
class Busy:
    """No answer this time."""

    problem: str
    wait_seconds: float = 0.0


class Endpoint:
    def __init__(
        self,
        configuration: EndpointPrompting,
        address: Address,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.configuration, self.sleep = configuration, sleep
        self.url = address.url + PATHS[configuration.api]
        self.headers = {"Content-Type": "application/json"}
        if address.key:
            self.headers["Authorization"] = f"Bearer {address.key}"
        self.pool = urllib3.PoolManager(maxsize=configuration.parallel)

    def body(self, prompt: str, end: str) -> dict[str, Any]:
        given = self.configuration
        common = {
            "model": given.model,
            "temperature": given.temperature,
            "frequency_penalty": given.frequency_penalty,
            "max_tokens": given.max_new_tokens,
        }
        if given.api == "chat":
            # Without `stop`: some begin their answer with it.
            return common | {"messages": [{"role": "user", "content": prompt}]}
        return common | {"prompt": prompt, "stop": [end]}

    def answer(self, requests: Sequence[Request], keep: Callable[[Request, Reply], None]) -> None:
        """Raises RunFailure. Answers that are under way then are waited for and kept: they are
        paid."""
        waiting = list(reversed(requests))
        failure: BaseException | None = None
        with ThreadPoolExecutor(self.configuration.parallel) as threads:
            asked: dict[Future[Reply], Request] = {}
            while asked or (waiting and failure is None):
                while waiting and failure is None and len(asked) < self.configuration.parallel:
                    request = waiting.pop()
                    asked[threads.submit(self.ask, request.body)] = request
                for done in wait(asked, return_when=FIRST_COMPLETED).done:
                    try:
                        keep(asked.pop(done), done.result())
                    except Exception as error:
                        failure = failure or error
        if failure is not None:
            raise failure

    def ask(self, body: Any) -> Reply:
        """Raises RunFailure after the last attempt."""
        problem = ""
        for attempt in range(1, self.configuration.attempts + 1):
            answer = self._post(body)
            if isinstance(answer, Reply):
                return answer
            problem = answer.problem
            if attempt < self.configuration.attempts:
                self.sleep(max(answer.wait_seconds, _back_off(attempt)))
        raise RunFailure(Reason.NO_ANSWER, problem)

    def _post(self, body: Any) -> "Reply | Busy":
        """Raises RunFailure where asking again would not help."""
        try:
            answer = self.pool.request(
                "POST",
                self.url,
                body=json.dumps(body),
                headers=self.headers,
                timeout=float(self.configuration.timeout_seconds),
                retries=False,
                redirect=False,
            )
        except urllib3.exceptions.HTTPError as error:
            return Busy(type(error).__name__)
        problem = f"status {answer.status}"
        if answer.status in BUSY:
            return Busy(problem, _asked_to_wait(answer.headers.get("Retry-After", "")))
        if answer.status != OK:
            said = answer.data[:200].decode(errors="replace")
            raise RunFailure(Reason.REFUSED_TO_ANSWER, f"{problem}: {said}")
        return self._read(answer.data)

    def _read(self, data: bytes) -> Reply:
        """Whatever has a text is taken: it is paid. Raises RunFailure."""
        said = data.decode("utf-8-sig", errors="replace")
        try:
            raw = json.loads(said)
            text = _text_of(raw["choices"][0])
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise RunFailure(Reason.UNREADABLE_ANSWER, said[:200]) from error
        usage = raw.get("usage")
        told = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens")
        counts = told[0] or 0, told[1] or 0
        given = self.configuration
        prices = given.input_usd_per_million, given.output_usd_per_million
        usd = sum(n * price for n, price in zip(counts, prices, strict=True)) / MILLION
        return Reply(text, *counts, str(usd), raw, is_counted=None not in told)


def _text_of(choice: Any) -> str:
    """Raises KeyError and TypeError where it has none."""
    text = choice["message"]["content"] if "message" in choice else choice["text"]
    if isinstance(text, list):
        text = "".join(part["text"] for part in text if part["type"] == "text")
    if not isinstance(text, str | None):
        raise TypeError
    return text or ""


def _tokens(usage: Any, name: str) -> int | None:
    """None where the endpoint does not say, or says no number of tokens."""
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if type(count) is int and 0 <= count <= MOST_TOKENS else None


def _back_off(attempt: int) -> float:
    """Twice as long each time, and never the same for all that wait."""
    longest = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)


def _asked_to_wait(header: str) -> float:
    return min(LONGEST_WAIT_SECONDS, float(header)) if header.isdecimal() else 0.0
