"""The published annotations, where this machine has them."""

import json
from typing import Any

import pytest

from tests.environment import SHARED_DATA

FILES = ("val_data.jsonl", "te_data.jsonl")


def published_rows(name: str) -> list[dict[str, Any]]:
    path = SHARED_DATA / "pasta" / name
    if not path.exists():
        pytest.skip(f"the published file {name} is not beside the repository")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
