"""Fills a run's folder with what its runner needs. Safe to repeat: whole once it has a config."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Release
from modeling.instances.building import Variant
from modeling.instances.instance import Instance
from modeling.instances.sources import BadSource, kept_apart, tuples_of_file, tuples_of_release
from modeling.instances.tuples import Tuple
from modeling.models import Run
from modeling.run_folder import SPLITS, TEST, RunFolder

Told = Callable[..., None]


def prepare_folder(run: Run, *, told: Told) -> None:
    """`told` hears how far it is. Raises BadSource and BadTuple."""
    if run.folder.has_config():
        return
    variant = Variant(run.task, run.input, run.partition)
    if run.release:
        rows = list(_rows_of(run.release, told))
        run.folder.write_rows({one.key: pk for pk, _split, one in rows})
        splits = kept_apart((split, one) for _pk, split, one in rows)
        _write_instances(run.folder, variant, splits)
    elif not run.folder.has_instances(TEST):
        raise BadSource(
            _("The run’s files are not in FABULA_RUNS_DIR of %(host)s. Hosts have to share it.")
            % {"host": run.host}
        )
    run.folder.write_config(config_of(run))


def write_files(folder: RunFolder, variant: Variant, files: Mapping[str, Path]) -> None:
    """The instances of files by split. Raises BadSource and BadTuple."""
    rows = ((split, one) for split, path in files.items() for one in tuples_of_file(path))
    _write_instances(folder, variant, kept_apart(rows))


def config_of(run: Run) -> dict[str, Any]:
    return {
        "run": str(run.public_id),
        "task": run.task,
        "input": run.input,
        "partition": run.partition,
        "method": run.method,
        "configuration": run.configuration,
        "seed": run.seed,
        "processes": run.processes,
    }


def _rows_of(release: Release, told: Told) -> Iterator[tuple[int, str, Tuple]]:
    """With the primary key of each row that stands in a split."""
    placed = release.rows.exclude(split="").order_by("position").values_list("pk", flat=True)
    tuples = tuples_of_release(release, progress=told)
    for pk, (split, one) in zip(placed, tuples, strict=True):
        yield pk, split, one


def _write_instances(
    folder: RunFolder, variant: Variant, rows: Iterable[tuple[str, Tuple]]
) -> None:
    """What is learnt from is of the run's partition; what is tested on has all of them."""
    whole = Variant(variant.task, variant.input)
    instances: dict[str, list[Instance]] = {split: [] for split in SPLITS}
    for split, one in rows:
        instances[split].extend((whole if split == TEST else variant).instances(one))
    for split, found in instances.items():
        folder.write_instances(split, found)
