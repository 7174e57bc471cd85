"""Every request to a model with its answer: kept at once, so that none is paid for twice."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from studies.storable import storable

FILE = "requests.jsonl"


@dataclass(frozen=True)
class Request:
    """`instance` and `cell` (how examples were chosen, how many) say what it is asked for."""

    instance: str
    cell: str
    body: Mapping[str, Any]

    @property
    def key(self) -> str:
        text = json.dumps([self.instance, self.cell, self.body], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Reply:
    """`is_counted`: whether it said how many tokens it took."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    usd: str = "0"
    raw: Mapping[str, Any] = field(default_factory=dict)
    is_counted: bool = True


class Answerer(Protocol):
    def body(self, prompt: str, end: str) -> dict[str, Any]: ...

    def answer(self, requests: Sequence[Request], keep: Callable[[Request, Reply], None]) -> None:
        """`keep` is called from one thread, for each as it comes; what it raises ends the asking
        once those under way are in."""
        ...


class Answers:
    """Those in a run's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._kept = dict(self._read())

    def __getitem__(self, request: Request) -> Reply:
        return self._kept[request.key]

    def missing(self, requests: Sequence[Request]) -> list[Request]:
        return [one for one in requests if one.key not in self._kept]

    def keep(self, request: Request, reply: Reply) -> None:
        reply = Reply(**storable(vars(reply)))
        line = {"key": request.key, "request": vars(request), "reply": vars(reply)}
        with self.path.open("ab") as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._kept[request.key] = reply

    def figures(self) -> dict[str, Any]:
        """What all of them took."""
        replies = self._kept.values()
        uncounted = sum(not one.is_counted for one in replies)
        return {
            "requests": len(replies),
            **({"uncounted": uncounted} if uncounted else {}),
            "input_tokens": sum(one.input_tokens for one in replies),
            "output_tokens": sum(one.output_tokens for one in replies),
            "usd": str(sum((Decimal(one.usd) for one in replies), Decimal(0))),
        }

    def _read(self) -> list[tuple[str, Reply]]:
        """A last line that a kill cut off is taken away: what follows it begins a line."""
        if not self.path.exists():
            return []
        whole, _newline, cut = self.path.read_bytes().rpartition(b"\n")
        if cut:
            os.truncate(self.path, len(whole) + 1 if whole else 0)
        lines = map(json.loads, whole.splitlines())
        return [(line["key"], Reply(**line["reply"])) for line in lines]
