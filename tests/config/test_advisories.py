import pytest

from tests import advisories

CLEAN = {"name": "django", "version": "5.2.8", "vulns": []}
SKIPPED = {"name": "django", "version": "5.2.8", "skip_reason": "not found"}
FINDING = {"id": "PYSEC-0-1", "fix_versions": ["5.2.9"]}


def test_an_index_without_advisories_is_no_clean_bill(capsys: pytest.CaptureFixture[str]) -> None:
    assert advisories.report([SKIPPED]) == 2
    assert "Nothing was checked" in capsys.readouterr().err


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert advisories.report([CLEAN, SKIPPED | {"name": "ours"}]) == 0
    assert "1 packages checked, 1 not known" in capsys.readouterr().out


def test_a_finding_names_the_version_to_take(capsys: pytest.CaptureFixture[str]) -> None:
    assert advisories.report([CLEAN | {"vulns": [FINDING]}]) == 1
    assert "django 5.2.8  PYSEC-0-1  fixed: 5.2.9" in capsys.readouterr().out


def test_an_explained_finding_passes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(advisories.EXPLAINED, "PYSEC-0-1", "not used here")

    assert advisories.report([CLEAN | {"vulns": [FINDING]}]) == 0
    assert "not used here" in capsys.readouterr().out
