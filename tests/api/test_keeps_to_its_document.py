"""Whatever is sent to the API, by whichever role: it answers as its document says."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotation.models import Release
from config.wsgi import application
from tests.api.conftest import API, Site
from tests.api.document import document, named

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
MODES = {GenerationMode.POSITIVE: 3, GenerationMode.NEGATIVE: 2}
TRIES = settings(derandomize=True, database=None, suppress_health_check=list(HealthCheck))
# Of so many requests one keeps the names it was dealt; the others name what there is.
ONE_ASTRAY = 4
# How many operations do for each what they are there for.
LEAST_DONE = {"superuser": 50, "researcher": 50, "reviewer": 8, "worker": 0, "nobody": 0}


@pytest.fixture(scope="module")
def dealt() -> list[list[Any]]:
    """Requests of each operation: drawn once and sent as each role, for to draw one costs more than
    to answer it. The first sends what the document gives as an example."""
    schema = schemathesis.openapi.from_dict(document())
    schema.app = application
    found: list[Any] = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]
    return [_with_example(operation, _drawn(operation)) for operation in found]


def _drawn(operation: Any) -> list[Any]:
    cases: list[Any] = []

    def keep(case: Any) -> None:
        cases.append(case)

    for mode, count in MODES.items():
        strategy = operation.as_strategy(generation_mode=mode)
        settings(TRIES, max_examples=count)(given(case=strategy)(keep))()
    return cases


def _with_example(operation: Any, cases: list[Any]) -> list[Any]:
    body = operation.definition.raw.get("requestBody", {}).get("content", {})
    for example in body.get("application/json", {}).get("examples", {}).values():
        cases[0].body, cases[0].media_type = example["value"], "application/json"
    return cases


@contextmanager
def connection_kept() -> Iterator[None]:
    """The server would close it between requests, and the test's transaction with it."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.parametrize("role", ["superuser", "researcher", "reviewer", "worker", "nobody"])
def test_every_operation_answers_as_documented(
    reviewed: Site, released: Release, dealt: list[list[Any]], role: str
) -> None:
    """Each request meets the site as it was: what it does is undone."""
    headers = reviewed.headers(role)
    names = named(reviewed) | {"turn": reviewed.turn_of(role)}
    done = set()
    with connection_kept():
        for cases in dealt:
            for number, case in enumerate(_fit_for(role, cases), 1):
                answer = _send(case, headers, names if number % ONE_ASTRAY else {})
                done |= {case.operation.label} if answer.status_code < 300 else set()

    assert len(dealt) > 60
    assert len(done) >= LEAST_DONE[role], sorted(done)


def _fit_for(role: str, cases: list[Any]) -> list[Any]:
    """One of either kind from those who are refused before anything that they send is looked at,
    and from who goes the way of a researcher."""
    is_review = cases[0].operation.path.startswith(f"{API}/review/")
    all_of_them = role == "researcher" or (role == "reviewer" and is_review)
    return cases if all_of_them else [cases[0], cases[-1]]


def _send(case: Any, headers: dict[str, str], names: dict[str, Any]) -> Any:
    drawn = case.path_parameters
    case.path_parameters = {name: names.get(name, value) for name, value in drawn.items()}
    with transaction.atomic():
        answer = case.call_and_validate(checks=CHECKS, headers=headers)
        transaction.set_rollback(True)
    case.path_parameters = drawn
    return answer
