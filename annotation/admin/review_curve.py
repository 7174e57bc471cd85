"""The sampling rule as a curve: numbers for a template to draw."""

from dataclasses import dataclass

from annotation.review.sampling import SamplingRule

WIDTH, HEIGHT = 520, 200
LEFT, RIGHT, TOP, BOTTOM = 12, 16, 24, 40
LEAST_SHOWN = 200
MARKS = 4


@dataclass(frozen=True)
class Mark:
    """A number on an axis or a point of the curve, where it is drawn."""

    x: float
    y: float
    n: int
    required: int


@dataclass(frozen=True)
class Curve:
    """How many of n responses are reviewed; `path` is an SVG path, `marks` points to read."""

    path: str
    marks: list[Mark]
    base: float
    left: float
    right: float
    width: int = WIDTH
    height: int = HEIGHT


def curve_of(rule: SamplingRule, *, largest: int = 0) -> Curve:
    """From none to the most responses that a worker has, and at least to where the rule is flat."""
    last = max(LEAST_SHOWN, -(-largest // 50) * 50)
    top = max(1, rule.required(last))
    steps = range(0, last + 1)

    def x(n: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * n / last, 1)

    def y(required: int) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * required / top, 1)

    drawn = " ".join(f"{x(n)},{y(rule.required(n))}" for n in steps)
    return Curve(
        path=f"M{drawn.replace(' ', ' L')}",
        marks=[
            Mark(x(n), y(rule.required(n)), n, rule.required(n))
            for n in (last * mark // MARKS for mark in range(MARKS + 1))
        ],
        base=y(0),
        left=LEFT,
        right=WIDTH - RIGHT,
    )
