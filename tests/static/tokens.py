"""The colours of static/css/tokens.css, light and dark, and how they contrast."""

import math
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


def linear(colour: str) -> list[float]:
    """Red, green and blue as amounts of light."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def product(matrix: tuple[tuple[float, float, float], ...], vector: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def contrast(one: str, other: str) -> float:
    """The contrast ratio as WCAG 2 defines it."""
    weights = ((0.2126, 0.7152, 0.0722),)
    darker, lighter = sorted(product(weights, linear(colour))[0] for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


# What a reader sees with one kind of cone missing, on linear RGB (Viénot, Brettel, Mollon 1999).
CONES = {
    "all": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deuteranopia": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}
LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


def distance(one: str, other: str, *, cones: str) -> float:
    """How far apart two colours look (OKLab; black and white are 1 apart) with these cones."""
    looks = []
    for colour in (one, other):
        seen = product(CONES[cones], linear(colour))
        roots = [max(value, 0.0) ** (1 / 3) for value in product(LMS, seen)]
        looks.append(product(OKLAB, roots))
    return math.dist(*looks)
