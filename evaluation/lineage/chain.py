"""What a rating leads back to, step by step. What is None is not known."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.models import Release, ReleaseRow
from evaluation.models import Item, Rating, RatingRound
from modeling.models import Generation, Run
from studies.models import Assignment, Study


class CameFrom(StrEnum):
    """`RESULTS` are ratings made elsewhere, `FILE` outputs that somebody brought, gold items among
    them."""

    RUNS = "runs"
    RELEASE = "release"
    FILE = "file"
    RESULTS = "result-file"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Origin:
    """Where what one system showed came from: a run's generation, or people's row of a release."""

    system: str
    is_people: bool = False
    generation: Generation | None = None
    row: ReleaseRow | None = None

    @property
    def run(self) -> Run | None:
        return self.generation.run if self.generation else None

    @property
    def release(self) -> Release | None:
        """The run's; of what people wrote, the one that their row stands in."""
        if self.run is not None:
            return self.run.release
        return self.row.release if self.row else None


@dataclass(frozen=True)
class Lineage:
    """From a rating down; from an item or a generation, what lies above it is in `ratings`.

    `shown_together`: how many items stood on the rater's page.
    """

    study: Study
    came_from: CameFrom
    origins: tuple[Origin, ...]
    rating: Rating | None = None
    item: Item | None = None
    made_for: RatingRound | None = None
    shown_together: int | None = None
    ratings: Sequence[Rating] = ()

    @property
    def assignment(self) -> Assignment | None:
        """Of a rating that was made here."""
        response = self.rating.response if self.rating else None
        return response.assignment if response else None

    @property
    def on_the_left(self) -> str | None:
        """The system that the rater of a pair saw there."""
        if self.rating is None or self.item is None or self.rating.swapped is None:
            return None
        return self.item.rival if self.rating.swapped else self.item.system
