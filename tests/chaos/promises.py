"""What the site has acknowledged to people, and whether it is so."""

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.site import Site

NUMBERED = re.compile(r"version (\d+)")
DONE_IN_MARKETPLACE = {"Submitted", "Approved", "Rejected"}


def text_of(version: int) -> str:
    return f"Someone is calm, version {version}."


def version_of(text: str | None) -> int:
    """Which version of a worker's text this is; 0 when there is none."""
    found = NUMBERED.search(text or "")
    return int(found.group(1)) if found else 0


@dataclass
class Promises:
    """Kept by the clients; each entry is an answer that arrived."""

    accepted: dict[str, str] = field(default_factory=dict)  # marketplace assignment -> worker
    returned: set[str] = field(default_factory=set)
    drafts: dict[int, int] = field(default_factory=dict)  # assignment -> version
    submitted: dict[int, int] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)  # marketplace assignment -> ours
    launched: dict[int, bool] = field(default_factory=dict)  # seed -> acknowledged
    extended: Counter[int] = field(default_factory=Counter)  # seed -> acknowledged extensions
    imported: dict[str, tuple[int, bool]] = field(default_factory=dict)  # prefix -> stories, known
    exported: dict[str, int] = field(default_factory=dict)  # file -> confirmed before it began
    broken: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    retried: Counter[str] = field(default_factory=Counter)
    busy: Counter[str] = field(default_factory=Counter)  # what is under way, how often
    took: dict[str, float] = field(default_factory=dict)  # seconds, the last time
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def under_way(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        with self.lock:
            self.busy[what] += 1
        try:
            yield
        finally:
            with self.lock:
                self.busy[what] -= 1
                self.took[what] = time.monotonic() - began

    def count(self, what: str) -> None:
        with self.lock:
            self.done[what] += 1

    def count_retry(self, what: str) -> None:
        with self.lock:
            self.retried[what] += 1

    def is_broken(self, sentence: str) -> None:
        with self.lock:
            self.broken.append(sentence)


def broken_promises(site: Site, promises: Promises) -> list[str]:
    """Sentences about what was acknowledged and is not so. Holds at any time."""
    with promises.lock:
        texts = dict(promises.drafts), dict(promises.submitted)
        marketplace = dict(promises.accepted), set(promises.returned), dict(promises.sent)
        ours = dict(promises.launched), dict(promises.imported), promises.extended.copy()
    return [*_texts(site, *texts), *_marketplace(site, *marketplace), *_studies(site, *ours)]


def _texts(site: Site, drafts: dict[int, int], submitted: dict[int, int]) -> list[str]:
    rows = site.query(
        "SELECT a.id, a.draft->'fields'->>'assertion', r.answers->>'assertion' "
        "FROM studies_assignment a LEFT JOIN studies_response r ON r.assignment_id = a.id"
    )
    kept = {pk: (version_of(draft), version_of(answer)) for pk, draft, answer in rows}
    broken = []
    for pk, version in drafts.items():
        draft, answer = kept.get(pk, (0, 0))
        if max(draft, answer) < version:
            broken.append(f"draft of assignment {pk}: version {version} was saved, {draft} is kept")
    for pk, version in submitted.items():
        answer = kept.get(pk, (0, 0))[1]
        if answer != version:
            broken.append(f"response of assignment {pk}: {version} was taken, {answer} is kept")
    return broken


def _marketplace(
    site: Site, accepted: dict[str, str], returned: set[str], sent: dict[str, int]
) -> list[str]:
    status: dict[str, str] = dict(
        site.query("SELECT assignment_id, status FROM marketplace_assignment")
    )
    broken = [f"acceptance {one} is lost" for one in accepted if one not in status]
    broken += [
        f"{one} was returned, is {status[one]}" for one in returned if status[one] != "Returned"
    ]
    return broken + [
        f"submission {one} arrived, is {status.get(one)}"
        for one in sent
        if status.get(one) not in DONE_IN_MARKETPLACE
    ]


def _studies(
    site: Site,
    launched: dict[int, bool],
    imported: dict[str, tuple[int, bool]],
    extended: Counter[int],
) -> list[str]:
    rounds: Counter[int] = Counter(seed for (seed,) in site.query("SELECT seed FROM studies_round"))
    broken = [
        f"launch with seed {seed}: {rounds[seed]} rounds"
        for seed, known in launched.items()
        if not known <= rounds[seed] <= 1
    ]
    counts: dict[str, Any] = dict(
        site.query("SELECT split_part(external_id, '-', 1), count(*) FROM studies_story GROUP BY 1")
    )
    for prefix, (size, known) in imported.items():
        found = counts.get(prefix, 0)
        if found not in ({size} if known else {0, size}):
            broken.append(f"import {prefix}: {found} of {size} stories")
    overlap = dict(site.query("SELECT seed, overlap FROM studies_round"))
    for seed, times in extended.items():
        if overlap.get(seed, 0) < 2 + times:
            broken.append(f"extension of round {seed}: overlap {overlap.get(seed)} after {times}")
    return broken


def unconfirmed(site: Site, promises: Promises) -> list[str]:
    """Holds at rest: what the marketplace took with thanks is a confirmed response."""
    states = dict(site.query("SELECT assignment_id, state FROM studies_response"))
    return [
        f"assignment {pk} was sent on with thanks, its response is {states.get(pk)}"
        for pk in promises.sent.values()
        if states.get(pk) != "confirmed"
    ]
