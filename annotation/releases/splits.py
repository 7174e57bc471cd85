"""Which split a story stands in: a pure rule, the same whatever order the stories come in."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal

from django.utils.translation import gettext as _

from annotation.models import Split

# Nearer than this to its ratio a test split is large enough.
TOLERANCE = Decimal("0.01")


class BadRatios(ValueError):
    """The text says what is wrong with them."""


@dataclass(frozen=True)
class StoryRows:
    """How many rows a story has, and how many of them may be test rows."""

    story: str
    rows: int
    testable: int


@dataclass(frozen=True)
class Ratios:
    """The shares of a release's rows; they add up to one."""

    train: Decimal
    validation: Decimal
    test: Decimal

    def __post_init__(self) -> None:
        if not all(share.is_finite() and share >= 0 for share in self):
            raise BadRatios(_("A ratio is a number from 0 to 1."))
        if sum(self) != 1:
            raise BadRatios(_("The ratios add up to %(sum)s, not to 1.") % {"sum": sum(self)})

    def __iter__(self) -> Iterator[Decimal]:
        return iter((self.train, self.validation, self.test))


DEFAULT_RATIOS = Ratios(Decimal("0.8"), Decimal("0.12"), Decimal("0.08"))


@dataclass
class Placement:
    """Where each story stands, how many rows each split holds, and how many none does.

    `missing_reviews`: so many more test rows bring the test split to its ratio; 0 where it is near.
    """

    splits: dict[str, Split] = field(default_factory=dict)
    rows: dict[Split, int] = field(default_factory=lambda: dict.fromkeys(Split, 0))
    withheld: int = 0
    missing_reviews: int = 0

    def add(self, story: StoryRows, split: Split) -> None:
        self.splits[story.story] = split
        kept = story.testable if split == Split.TEST else story.rows
        self.rows[split] += kept
        self.withheld += story.rows - kept


def place_stories(
    stories: Iterable[StoryRows], *, placed: Mapping[str, Split], ratios: Ratios, seed: int
) -> Placement:
    """Stories that are `placed` stay. The others come in the order of a hash of seed and id, and
    fill the test split, then validation, up to their shares of the rows; the rest is for training.

    A story in the test split brings its testable rows alone; its others are withheld.
    """
    placement = Placement()
    waiting = []
    total = 0
    for story in stories:
        total += story.rows
        if story.story in placed:
            placement.add(story, placed[story.story])
        else:
            waiting.append(story)
    waiting.sort(key=lambda one: order_of(one.story, seed))
    waiting = _fill_test(placement, waiting, ratios.test, total)
    for story in _fill_validation(placement, waiting, ratios.validation, total):
        placement.add(story, Split.TRAIN)
    return placement


def order_of(story: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{story}".encode()).digest()


def _fill_test(
    placement: Placement, waiting: list[StoryRows], ratio: Decimal, total: int
) -> list[StoryRows]:
    """Take stories while they bring the share nearer; the first one in any case."""
    left, passed = [], 0
    for story in waiting:
        have, gap = placement.rows[Split.TEST], _gap(placement, ratio, total)
        withheld = story.rows - story.testable
        gap_with = gap - story.testable - ratio * withheld
        if story.testable and ratio and gap > 0 and (not have or abs(gap_with) < gap):
            placement.add(story, Split.TEST)
            continue
        left.append(story)
        passed += bool(story.testable)
    if not passed:
        placement.missing_reviews = _missing(placement, ratio, total)
    return left


def _gap(placement: Placement, ratio: Decimal, total: int) -> Decimal:
    """How many rows the test split lacks of its share."""
    return ratio * (total - placement.withheld) - placement.rows[Split.TEST]


def _missing(placement: Placement, ratio: Decimal, total: int) -> int:
    """A further test row fills the gap by one, and may add to what there is to have a share of."""
    kept = total - placement.withheld
    have = placement.rows[Split.TEST]
    if not ratio or (have and have >= (ratio - TOLERANCE) * kept):
        return 0
    gap = max(_gap(placement, ratio, total) / (1 - ratio), Decimal(1)) if ratio < 1 else kept
    return int(Decimal(gap).to_integral_value(ROUND_CEILING))


def _fill_validation(
    placement: Placement, waiting: list[StoryRows], ratio: Decimal, total: int
) -> list[StoryRows]:
    target = ratio * (total - placement.withheld)
    left = []
    for story in waiting:
        have = placement.rows[Split.VALIDATION]
        gap = target - have
        if gap > 0 and (not have or abs(gap - story.rows) < gap):
            placement.add(story, Split.VALIDATION)
        else:
            left.append(story)
    return left
