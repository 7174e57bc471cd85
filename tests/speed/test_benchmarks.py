from pathlib import Path
from typing import Any

import pytest

from benchmarks import measures


def test_several_sites_are_measured_beside_each_other(
    tmp_path: Path, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With fewer tasks than are done: what a measurement takes is open again for the next one."""
    monkeypatch.setattr(measures, "TASKS", 4)

    with django_db_blocker.unblock():
        figures = measures.measure_crowd(tmp_path, sizes=[12, 16], clients=[1, 2], runs=1)

    measured = {(figure.group, figure.name) for figure in figures}
    for clients in ("1 client", "2 clients"):
        for group in ("accept+open+submit", "all five requests"):
            assert {(f"{group}, {clients}", f"{size} open") for size in (12, 16)} <= measured
    assert all(figure.median > 0 for figure in figures)
