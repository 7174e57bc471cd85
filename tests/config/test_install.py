"""What an installation says and when it has nothing to do."""

import importlib.util
import sys
from pathlib import Path

import pytest

from config import install


def test_an_old_python_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "NEEDED", (9, 0))

    with pytest.raises(install.InstallError, match=r"needs Python 3\.11 or newer") as refusal:
        install.check_python()

    assert f"Python {sys.version_info[0]}.{sys.version_info[1]}" in str(refusal.value)


def test_a_python_without_venv_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(install.InstallError, match=r"sudo apt install python\d\.\d+-venv"):
        install.check_python()


def test_requirements_that_change_in_an_included_file_are_installed_again(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("django\n")
    (tmp_path / "dev.txt").write_text("-r requirements.txt\npytest\n")
    before = install.fingerprint(tmp_path / "dev.txt")

    (tmp_path / "requirements.txt").write_text("django\ncelery\n")

    assert install.fingerprint(tmp_path / "dev.txt") != before


def test_a_half_made_venv_is_not_usable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to("/nowhere/python")
    monkeypatch.setattr(install, "PYTHON", python)

    assert not install.usable()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("OSError: [Errno 28] No space left on device", "There is no space left on the disk"),
        ("NewConnectionError: Failed to establish a new connection", "cannot be reached"),
        ("ERROR: No matching distribution found for thing>=9", "No matching distribution found"),
    ],
)
def test_what_pip_says_becomes_a_sentence(line: str, sentence: str, tmp_path: Path) -> None:
    said = install.explain(["Collecting thing", line], what="installing", log=tmp_path / "log")

    assert sentence in said
    assert "\n" not in said
