"""What the application needs installs and imports without PyTorch."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from config.embedded.layout import BASE_DIR

# The packages the project was given, and the module that each is imported by.
GIVEN = {
    "django": "django",
    "djangorestframework": "rest_framework",
    "celery": "celery",
    "redis": "redis",
    "boto3": "boto3",
    "psycopg2-binary": "psycopg2",
    "transformers": "transformers",
    "krippendorff": "krippendorff",
}
FILES = (
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-gpu.txt",
    "requirements-serve.txt",
)
BOUNDS = {"<", "<=", "==", "~="}


def requirements_in(name: str) -> list[Requirement]:
    lines = (line.split("#")[0].strip() for line in (BASE_DIR / name).read_text().splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("-r ")]


def in_a_fresh_interpreter(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=BASE_DIR, capture_output=True, text=True, timeout=100
    )


def test_the_given_packages_are_listed() -> None:
    listed = {requirement.name.lower() for requirement in requirements_in("requirements.txt")}

    assert set(GIVEN) <= listed


@pytest.mark.parametrize("module", GIVEN.values())
def test_a_given_package_is_imported_without_torch(module: str) -> None:
    done = in_a_fresh_interpreter(
        f"import sys, {module}; sys.exit('torch was imported' if 'torch' in sys.modules else 0)"
    )

    assert done.returncode == 0, done.stderr


def test_torch_is_not_installed_with_the_application() -> None:
    """Nor by anything that it asks for. Tests have it: they train small models."""
    listed = {r.name for r in requirements_in("requirements.txt")}
    assert not listed & {r.name for r in requirements_in("requirements-gpu.txt")}
    assert "torch" not in all_that_is_installed(requirements_in("requirements.txt"))


def all_that_is_installed(asked: list[Requirement]) -> set[str]:
    found: set[tuple[str, str]] = set()
    waiting = [(r.name.lower(), extra) for r in asked for extra in {"", *r.extras}]
    while waiting:
        name, extra = one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        for text in distribution(name).requires or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(needed.name.lower(), more) for more in {"", *needed.extras}]
    return {name for name, _extra in found}


@pytest.mark.parametrize(
    "start",
    [
        pytest.param("import config.wsgi", id="the web site"),
        # What a Celery process does before it forks: used before that, torch would hang it.
        pytest.param(
            "from config.celery import app; app.loader.import_default_modules()", id="Celery"
        ),
    ],
)
def test_processes_start_without_torch_and_transformers(start: str) -> None:
    done = in_a_fresh_interpreter(
        f"import sys; {start}; print('studies.models' in sys.modules); "
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True", "[]"]


@pytest.mark.parametrize("name", FILES)
def test_every_requirement_has_an_upper_bound(name: str) -> None:
    open_ended = [
        str(requirement)
        for requirement in requirements_in(name)
        if not BOUNDS & {specifier.operator for specifier in requirement.specifier}
    ]

    assert requirements_in(name)
    assert not open_ended


def test_torch_is_pinned_to_one_version() -> None:
    [torch] = [r for r in requirements_in("requirements-gpu.txt") if r.name == "torch"]

    assert [s.operator for s in torch.specifier] == ["=="]


@pytest.mark.parametrize("name", ["requirements-dev.txt", "requirements-gpu.txt"])
def test_the_other_files_build_on_the_application(name: str) -> None:
    first = [line for line in (BASE_DIR / Path(name)).read_text().splitlines() if line[:1] != "#"]

    assert first[0] == "-r requirements.txt"
