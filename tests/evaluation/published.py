"""The ten published result files, brought in by command as a researcher would."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.environment import SHARED_DATA

FOLDER = SHARED_DATA / "pasta" / "mturk"
REVISION, CHANGE, INFERENCE = "story-revision", "state-change", "state-inference"
T5 = "MturkOP_Te_full_t_{}_m_t5-{}_lr_0.0001_w_1e-06_s_0_epoch_{}.csv"
GPT3_CODES = ("sb_entail_a", "sb_is_logical")
# File, instrument, system, questions whose codes are reversed.
FILES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("MturkOP_Te_200_t8_1.csv", INFERENCE, "marked", ()),
    ("MturkOP_Te_200_t8.csv", INFERENCE, "unmarked", ()),
    (T5.format(6, "base_b_12", 6), REVISION, "t5-base", ()),
    (T5.format(6, "large_b_4", 4), REVISION, "t5-large", ()),
    ("MturkOP_Te_200_t6_GPT3_app_3_exs_10.csv", REVISION, "GPT3", GPT3_CODES),
    ("MturkOP_Te_t_6_gpt35_appr_3_noex_10.csv", REVISION, "gpt35", GPT3_CODES),
    (T5.format(7, "base_b_10", 6), CHANGE, "t5-base", ()),
    (T5.format(7, "large_b_4", 4), CHANGE, "t5-large", ()),
    ("MturkOP_Te_200_t7_GPT3_app_1_exs_5.csv", CHANGE, "GPT3", ()),
    ("MturkOP_Te_t_7_gpt35_appr_1_noex_5.csv", CHANGE, "gpt35", ()),
)


def bring(study: str, file: Path, instrument: str, system: str, *more: str) -> dict[str, Any]:
    """By command; what it reports."""
    out = io.StringIO()
    given = [study, str(file), "--instrument", instrument, "--system", system, *more]
    call_command(
        "import_mturk_results", *given, "--format", "json", stdout=out, stderr=io.StringIO()
    )
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def bring_published(study: str) -> dict[str, dict[str, Any]]:
    if not FOLDER.is_dir():
        pytest.skip(f"the published data are not in {SHARED_DATA}")
    return {
        name: bring(
            study,
            FOLDER / name,
            instrument,
            system,
            *(word for question in turned for word in ("--reverse", question)),
        )
        for name, instrument, system, turned in FILES
    }


def rows_of(name: str, study: str, *more: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    call_command("report", name, "--study", study, "--format", "json", *more, stdout=out)
    found: list[dict[str, Any]] = json.loads(out.getvalue())
    return found


def values_of(name: str, study: str, *more: str) -> dict[str, float]:
    """To four decimals: of one system by metric, or by question."""
    return {
        row.get("metric") or row["question"]: round(row["value"], 4)
        for row in rows_of(name, study, *more)
    }
