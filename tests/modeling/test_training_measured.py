"""What is measured on a GPU, with small models wherever the tests run."""

from pathlib import Path

import pytest
import torch

from benchmarks import gpu
from benchmarks.shapes import LARGE, SMALL


def test_each_task_of_each_shape_is_measured() -> None:
    assert [(shape.preset, task) for shape, task in gpu.cases_of(LARGE)] == [
        ("t5-base", "state-inference"),
        ("t5-base", "story-revision"),
        ("t5-base", "state-change"),
        ("roberta-large", "state-inference"),
    ]


def test_steps_and_a_stop_are_measured_at_the_published_batch_sizes(tmp_path: Path) -> None:
    t5, roberta = SMALL
    cases = {"12 at once": (t5, "story-revision"), "16 at once": (roberta, "state-inference")}

    figures = gpu.measure(tmp_path, [*cases.values()], steps=3, runs=1)

    found = {(one.group, one.name, one.unit): one.median for one in figures}
    for size, (shape, task) in cases.items():
        for unit in ("examples/s", "% of the peak", "GiB, most"):
            assert found[shape.name, f"{task}, {size}", unit] > 0
        cancel = shape.name, f"{task}, cancel"
        assert 1 <= found[*cancel, "steps until it stopped"] <= 5
        if not torch.cuda.is_available():
            assert found[*cancel, "millionths, largest difference of a weight"] == 0


def test_large_shapes_have_the_published_number_of_weights() -> None:
    """222.9 million and, with the head, 355.4 million."""
    counts = []
    for shape in LARGE:
        with torch.device("meta"):
            model = shape.auto.from_config(shape.config(pad_token_id=0, **shape.sizes))
        counts.append(sum(one.numel() for one in model.parameters()))

    assert [round(count / 1e5) for count in counts] == [2229, 3554]


def test_without_a_gpu_it_says_so_and_measures_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("sys.argv", ["gpu"])

    with pytest.raises(SystemExit) as ended:
        gpu.main()

    assert ended.value.code == 1
    said = capsys.readouterr()
    assert "no GPU" in said.err and not said.out
