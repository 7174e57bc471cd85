"""Tuples for tests, and those of the published files."""

from pathlib import Path

import pytest

from modeling.instances import Tuple
from modeling.instances.sources import tuples_of_file
from tests.environment import SHARED_DATA

PUBLISHED = {"te_data.jsonl": 917, "val_data.jsonl": 1_350}


def make_tuple(**given: object) -> Tuple:
    values: dict[str, object] = {
        "key": "t1",
        "story": ("Mira baked a cake.", "It smelled good.", "She ate it all."),
        "justification": (1, 3),
        "state": "Mira likes cake.",
        "changed_state": "Mira dislikes cake.",
        "revised": ("Mira baked a cake.", "It smelled good.", "She gave it all away."),
        "story_key": "s1",
    }
    return Tuple(**(values | given))  # type: ignore[arg-type]


def published_file(name: str) -> Path:
    file = SHARED_DATA / "pasta" / name
    if not file.is_file():
        pytest.skip(f"the published data are not in {SHARED_DATA}")
    return file


def published_tuples(name: str) -> list[Tuple]:
    return list(tuples_of_file(published_file(name)))
