"""Text and edges stand out from their ground, in light and in dark."""

import re

import pytest
from django.conf import settings

from tests.static.tokens import CONES, TOKENS, contrast, distance, themes

GROUNDS = ("paper", "surface", "sunken")
MEANINGS = (
    "justify",
    "state",
    "changed",
    "insert",
    "delete",
    "attention",
    "blocked",
    "good",
)
READING, TEXT, SHAPE = 7.0, 4.5, 3.0
PAIRS = [
    *(("ink", ground, READING) for ground in GROUNDS),
    *(("ink-soft", ground, TEXT) for ground in GROUNDS),
    *(("accent", ground, TEXT) for ground in (*GROUNDS, "accent-ground")),
    ("on-accent", "accent", TEXT),
    ("on-accent", "accent-hover", TEXT),
    *((edge, ground, SHAPE) for edge in ("line-strong", "focus") for ground in GROUNDS),
    *(("ink", f"{meaning}-ground", READING) for meaning in MEANINGS),
    *((f"{meaning}-ink", f"{meaning}-ground", TEXT) for meaning in MEANINGS),
    *((f"{m}-ink", ground, TEXT) for m in MEANINGS for ground in ("paper", "surface")),
    *((f"{m}-bar", ground, SHAPE) for m in MEANINGS for ground in ("paper", "surface")),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "ground", "least"), PAIRS)
def test_a_colour_stands_out_from_its_ground(
    theme: str, ink: str, ground: str, least: float
) -> None:
    colours = themes()[theme]

    assert contrast(colours[ink], colours[ground]) >= least


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("cones", CONES)
@pytest.mark.parametrize(
    ("one", "other"),
    [("state", "changed"), ("state", "justify"), ("insert", "state"), ("insert", "delete")],
)
def test_meanings_side_by_side_look_different_with_any_cones(
    theme: str, cones: str, one: str, other: str
) -> None:
    colours = themes()[theme]

    apart = distance(colours[f"{one}-bar"], colours[f"{other}-bar"], cones=cones)

    assert apart > 0.08


def test_every_colour_is_given_for_light_and_dark() -> None:
    text = TOKENS.read_text(encoding="utf-8")

    single = re.findall(r"--[\w-]+: (?:#|rgb)[^;]*;", text)

    assert single == []


def test_pages_use_only_colours_and_sizes_that_the_tokens_define() -> None:
    folder = settings.BASE_DIR / "static" / "css"
    sheets = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.css")}
    defined = set(re.findall(r"(--[\w-]+):", "".join(sheets.values())))

    used = set(re.findall(r"var\((--[\w-]+)", "".join(sheets.values())))

    assert used - defined == set()
