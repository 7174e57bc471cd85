"""The colours of static/css/tokens.css, light and dark, and how they contrast."""

import re

from django.conf import settings

TOKENS = settings.BASE_DIR / "static" / "css" / "tokens.css"
PAIR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")


def themes() -> dict[str, dict[str, str]]:
    pairs = PAIR.findall(TOKENS.read_text(encoding="utf-8"))
    return {
        "light": {name: light for name, light, _ in pairs},
        "dark": {name: dark for name, _, dark in pairs},
    }


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


# What a reader with one kind of cone missing sees: linear RGB matrices of Viénot, Brettel and
# Mollon (1999) for protanopia and deuteranopia.
CONES = {
    "protanopia": ((0.1124, 0.8876, 0.0), (0.1124, 0.8876, 0.0), (0.004, -0.004, 1.0)),
    "deuteranopia": ((0.2927, 0.7073, 0.0), (0.2927, 0.7073, 0.0), (-0.0223, 0.0223, 1.0)),
}


def seen_with(colour: str, cones: str) -> tuple[float, float, float]:
    """The colour's linear RGB as seen by a reader with that kind of colour blindness."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    rows = [a * red + b * green + c * blue for a, b, c in CONES[cones]]
    return rows[0], rows[1], rows[2]
