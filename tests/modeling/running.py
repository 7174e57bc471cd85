"""Runs for tests, and what stands in for a release of thousands of rows."""

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from annotation.models import Release
from modeling.copying import Copy
from modeling.instances.building import Variant
from modeling.models import Run
from modeling.runs.creating import create_runs
from tests.annotation.releases.world import bring, build, past_rows
from tests.studies.factories import make_study

STORIES = 12


@pytest.fixture
def runs_folder(settings: Settings, tmp_path: Path) -> Path:
    settings.RUNS_DIR = tmp_path / "runs"
    return tmp_path / "runs"


def make_release(stories: int = STORIES) -> Release:
    study = make_study()
    bring(study, past_rows(stories, 1))
    return build(study)


def make_run(release: Release | None = None, **given: Any) -> Run:
    """A waiting run of the method that needs no model."""
    if "files" not in given:
        release = release or make_release()
        given = {"study": release.study, "release": release} | given
    asked: dict[str, Any] = {
        "variant": Variant("state-inference"),
        "configuration": Copy(),
        "seeds": [7],
    }
    [run] = create_runs(**asked | given)
    return run
