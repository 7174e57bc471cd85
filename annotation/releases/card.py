"""The dataset card: README.md, whose head the `datasets` library reads.

It names neither the release nor a moment: the same rows give the same card.
"""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from annotation.models import Release, Split
from annotation.releases.columns import columns_of
from annotation.releases.rule import ReleaseRule, TestFrom
from annotation.releases.split_files import ROWS_FILE

NAMES = {
    "tuples": "rows",
    "stories": "stories",
    "state_tokens": "tokens of the state, mean",
    "changed_state_tokens": "tokens of the changed state, mean",
    "justification_sentences": "sentences that justify the state, mean",
    "revised_sentences": "sentences revised, mean",
    "justification_revised_pct": "% of the justifying sentences that are revised",
    "revised_justification_pct": "% of the revised sentences that justify",
    "state_overlap_pct": "% of the state's tokens found in the changed state",
    "story_overlap_pct": "% of the story's tokens found in the revised story",
}
TEST_ROWS = {
    TestFrom.ANY: "Every accepted annotation of a test story is a test row.",
    TestFrom.REVIEWED: "A test row was judged correct by experts. Other annotations of a test "
    f"story are in no split; `{ROWS_FILE}` lists them as withheld.",
}


def describe(release: Release) -> str:
    """The dataset in a sentence or two."""
    return (
        f"{_title(release)}: what readers infer of short stories without being told, what tells "
        "them, and the least change of the story that makes the opposite fit."
    )


def write_card(release: Release) -> str:
    rule = ReleaseRule.from_dict(release.rule)
    parts = [
        _head(release),
        f"# {_title(release)}\n\n{describe(release)}",
        _splits(release, rule),
        "## Fields\n\n" + _fields(rule),
        "## Statistics\n\n" + _statistics(release),
        _making(release, rule),
    ]
    return "\n\n".join(parts) + "\n"


def splits_of(release: Release) -> list[str]:
    """Those that have rows, in their order."""
    return [split for split in Split.values if split in release.statistics["splits"]]


def _title(release: Release) -> str:
    return " ".join((release.study.title or release.study.slug).split())


def _head(release: Release) -> str:
    """In JSON, which is YAML too, so that no title can break it."""
    files = [{"split": split, "path": f"{split}.parquet"} for split in splits_of(release)]
    facts = {
        "pretty_name": _title(release),
        "configs": [{"config_name": "default", "data_files": files}],
    }
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()]
    return "\n".join(["---", *lines, "---"])


def _splits(release: Release, rule: ReleaseRule) -> str:
    statistics = release.statistics
    shares = dict(zip(Split.values, rule.ratios, strict=True))
    table = _table(
        ("split", "rows", "stories", "share asked for"),
        [
            (name, f"{one['tuples']:,}", f"{one['stories']:,}", _percent(shares[name]))
            for name in splits_of(release)
            for one in [statistics["splits"][name]]
        ],
    )
    withheld = f" Withheld rows: {statistics['withheld']:,}." if statistics["withheld"] else ""
    return (
        "## Splits\n\nBy story: no story is in two of them, and none changes its split in a later "
        f"release. {TEST_ROWS[rule.test_from]}{withheld}\n\n{table}"
    )


def _fields(rule: ReleaseRule) -> str:
    rows = [(f"`{one.name}`", one.kind.value, one.meaning) for one in columns_of(rule.layout)]
    return _table(("field", "type", "meaning"), rows)


def _statistics(release: Release) -> str:
    splits = splits_of(release)
    shown = [release.statistics, *(release.statistics["splits"][name] for name in splits)]
    rows = [(name, *(_number(one[key]) for one in shown)) for key, name in NAMES.items()]
    return _table(("", "all", *splits), rows) + (
        "\n\nTokens are separated by white space. Percentages are means over rows; a row in which "
        "there is nothing to take a share of does not count for it."
    )


def _making(release: Release, rule: ReleaseRule) -> str:
    return (
        "## How it was made\n\n"
        "Stories new to the study's releases come in the order of SHA-256 of `SEED:STORY-ID`; they "
        "fill the test split, then validation, up to their shares of the rows, and the rest is for "
        f"training. Seed: {release.seed}.\n\n"
        f"Workers appear in `{ROWS_FILE}` under pseudonyms of this release alone. "
        f"Hash of the rows: `{release.sha256}`.\n\n"
        "Whoever publishes this adds the licence and the source of the stories."
    )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _number(value: Any) -> str:
    return "–" if value is None else f"{value:,}"


def _percent(share: Decimal) -> str:
    return f"{(100 * share).normalize():f}%"
