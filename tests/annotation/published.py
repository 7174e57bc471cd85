"""The published annotations, where this machine has them."""

import json
from typing import Any

import pytest
from django.conf import settings

FILES = ("val_data.jsonl", "te_data.jsonl")


def published_rows(name: str) -> list[dict[str, Any]]:
    path = settings.BASE_DIR.parent / "shared" / "data" / "pasta" / name
    if not path.exists():
        pytest.skip(f"The published file {name} is not at ../shared/data/pasta.")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
