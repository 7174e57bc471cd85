"""The files of a release: what they hold, who can read them, and that they are whole."""

import gc
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Release
from annotation.releases.archives import is_packed, pack_release, place_of
from annotation.releases.exporting import ExportRefused, ReleaseDamaged, export_release
from studies.models import Contribution, ContributionStatus
from studies.services.response_layout import OWN
from tests.annotation.releases.world import bring, build, contribute, past_rows
from tests.studies.factories import make_round, make_study
from tests.studies.published import published_row

pytestmark = pytest.mark.django_db
SPLITS = ("train", "validation", "test")


def filled(stories: int = 40, layout: str = "pasta-jsonl") -> Release:
    study = make_study(slug="evenings", title='Quiet: "evenings" #1')
    bring(study, past_rows(stories))
    return build(study, layout=layout)


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def in_its_own_process(code: str, tmp_path: Path) -> Any:
    """As a reader without network would: the libraries look for a hub else."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **offline},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_the_published_layout_is_written_for_each_split(tmp_path: Path) -> None:
    release = filled()

    outcome = export_release(release=release, folder=tmp_path / "out")

    assert outcome.files == sorted(
        [
            *(f"{split}.{ending}" for split in SPLITS for ending in ("jsonl", "parquet")),
            *("README.md", "croissant.json", "rows.jsonl", "statistics.json"),
        ]
    )
    written = {split: rows(tmp_path / "out" / f"{split}.jsonl") for split in SPLITS}
    assert {row["AssignmentId"] for found in written.values() for row in found} == {
        row["AssignmentId"] for row in past_rows(40)
    }
    assert list(written["train"][0]) == list(published_row())
    stories = [{row["Input.storyid"] for row in found} for found in written.values()]
    assert sum(map(len, stories)) == len(set.union(*stories)) == 40


def test_two_releases_of_the_same_rows_are_the_same_to_the_byte(tmp_path: Path) -> None:
    study = make_study()
    round = make_round(study, stories=10)
    for _ in range(6):
        contribute(round)
    bring(study, past_rows(30))

    export_release(release=build(study, "v1"), folder=tmp_path / "a")
    export_release(release=build(study, "another-name"), folder=tmp_path / "b")
    export_release(release=Release.objects.get(name="v1"), folder=tmp_path / "c")

    assert files_of(tmp_path / "a") == files_of(tmp_path / "b") == files_of(tmp_path / "c")


def test_nothing_tells_the_worker_or_the_marketplace(tmp_path: Path) -> None:
    study = make_study()
    round = make_round(study, stories=10)
    kept = [contribute(round) for _ in range(4)]
    first, second = build(study, "v1", seed=1), build(study, "v2", seed=2)

    for release in (first, second):
        export_release(release=release, folder=tmp_path / release.name)

    told = b"".join([*files_of(tmp_path / "v1").values(), *files_of(tmp_path / "v2").values()])
    for one in kept:
        assignment = one.response.assignment
        assert assignment.participant is not None
        for secret in (
            assignment.marketplace_id,
            assignment.participant.worker.marketplace_id,
            assignment.participant.pseudonym,
        ):
            assert secret.encode() not in told
    listed = [rows(tmp_path / name / "rows.jsonl") for name in ("v1", "v2")]
    for key in ("AssignmentId", "worker"):
        assert not {row[key] for row in listed[0]} & {row[key] for row in listed[1]}


def test_statistics_are_those_of_the_rows_written(tmp_path: Path) -> None:
    export_release(release=filled(), folder=tmp_path / "out")

    statistics = json.loads((tmp_path / "out" / "statistics.json").read_text())

    assert list(statistics)[:2] == ["tuples", "stories"] and statistics["tuples"] == 120
    for split in SPLITS:
        written = rows(tmp_path / "out" / f"{split}.jsonl")
        assert statistics["splits"][split]["tuples"] == len(written)


def in_each_layout(tmp_path: Path) -> list[Path]:
    folders = [tmp_path / layout for layout in ("pasta-jsonl", OWN)]
    for folder in folders:
        study = make_study(title='Quiet: "evenings" #1')
        bring(study, past_rows(40))
        export_release(release=build(study, layout=folder.name), folder=folder)
    return folders


def test_the_datasets_library_loads_the_folder_without_network(tmp_path: Path) -> None:
    folders = in_each_layout(tmp_path)

    found, _errors = in_its_own_process(
        f"""
import datasets, json
loaded = map(datasets.load_dataset, {list(map(str, folders))!r})
print(json.dumps([{{name: [dict(row) for row in one[name]] for name in one}} for one in loaded]))
""",
        tmp_path,
    )

    assert found == [
        {split: rows(folder / f"{split}.jsonl") for split in SPLITS} for folder in folders
    ]


def test_the_croissant_description_is_valid_and_leads_to_the_rows(tmp_path: Path) -> None:
    folders = in_each_layout(tmp_path)

    found, _errors = in_its_own_process(
        f"""
import json, mlcroissant
told = []
for folder in {list(map(str, folders))!r}:
    dataset = mlcroissant.Dataset(jsonld=folder + "/croissant.json")
    assert not dataset.metadata.ctx.issues.errors, dataset.metadata.ctx.issues.report()
    test = list(dataset.records("test"))
    told.append([len(test), sorted(test[0]), repr(test[0])])
print(json.dumps(told))
""",
        tmp_path,
    )

    for folder, (count, names, first) in zip(folders, found, strict=True):
        written = rows(folder / "test.jsonl")
        assert count == len(written)
        assert names == sorted(f"test/{name}" for name in written[0])
        assert "Nora is fit, says" in first


def test_a_folder_that_is_there_is_replaced_only_when_told_and_only_by_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = filled(3)
    out = tmp_path / "out"
    out.mkdir()
    (out / "precious").write_text("kept")

    with pytest.raises(ExportRefused, match="--force"):
        export_release(release=release, folder=out)
    monkeypatch.setattr(
        "annotation.releases.card.write_card", lambda release: exec("raise KeyboardInterrupt")
    )
    with pytest.raises(KeyboardInterrupt):
        export_release(release=release, folder=out, force=True)
    assert files_of(out) == {"precious": b"kept"} and list(tmp_path.iterdir()) == [out]
    monkeypatch.undo()
    export_release(release=release, folder=out, force=True)
    assert "precious" not in files_of(out) and list(tmp_path.iterdir()) == [out]


def test_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExportRefused, match="No such file or directory"):
        export_release(release=filled(2), folder=tmp_path / "no" / "out")


def test_changed_rows_are_not_written(tmp_path: Path) -> None:
    release = filled(3)
    one = Contribution.objects.latest("pk")
    Contribution.objects.filter(pk=one.pk).update(content=one.content | {"assertion": "No."})

    with pytest.raises(ReleaseDamaged):
        export_release(release=release, folder=tmp_path / "out")

    assert list(tmp_path.iterdir()) == []


def test_a_row_that_is_judged_otherwise_since_stays_in_its_release(tmp_path: Path) -> None:
    release = filled(4)
    Contribution.objects.update(status=ContributionStatus.REJECTED)

    assert export_release(release=release, folder=tmp_path / "out").rows == 12


def test_the_archive_is_made_once_and_holds_the_same_files(tmp_path: Path, settings: Any) -> None:
    import zipfile

    settings.MEDIA_ROOT = tmp_path / "media"
    release = filled(4)
    export_release(release=release, folder=tmp_path / "out")
    assert not is_packed(release)

    pack_release(release=release)

    assert pack_release(release=release) == place_of(release) and is_packed(release)
    with zipfile.ZipFile(tmp_path / "media" / place_of(release)) as archive:
        packed = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    assert packed == files_of(tmp_path / "out")
    assert [file.suffix for file in (tmp_path / "media" / "releases").iterdir()] == [".zip"]


def test_what_is_written_is_not_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.releases.manifest.BATCH", 50)
    monkeypatch.setattr("annotation.releases.split_files.ROW_GROUP", 50)
    study = make_study()
    peaks = []
    export_release(release=_built(study, 10), folder=tmp_path / "warm")
    for count in (150, 1_500):
        release = _built(study, count)
        # What Python keeps for reuse is not traced, and other tests leave more or less of it.
        gc.collect()
        tracemalloc.start()
        export_release(release=release, folder=tmp_path / str(count))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    # A row held would be about a thousand bytes.
    assert peaks[1] - peaks[0] < 600 * 1_350


def _built(study: Any, stories: int) -> Release:
    bring(study, past_rows(stories, each=1, first=stories * 10_000))
    return build(study, f"n{stories}")
