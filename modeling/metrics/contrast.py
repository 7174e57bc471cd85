"""Contrastive accuracy: is a model right about both states of one story?"""

from collections.abc import Hashable, Iterable
from typing import TypeVar

from modeling.metrics.share import Share

ACCURACY, CONTRASTIVE = "accuracy", "contrastive"
PAIR = 2
Story = TypeVar("Story", bound=Hashable)


def contrasts(answers: Iterable[tuple[Story, bool]]) -> dict[Story, Share]:
    """Of each story text that was asked about twice: 1 where both answers are right.

    `answers` are story texts with whether the answer was right.
    """
    found: dict[Story, list[bool]] = {}
    for story, is_right in answers:
        found.setdefault(story, []).append(is_right)
    return {
        story: Share(float(all(rights))) for story, rights in found.items() if len(rights) == PAIR
    }
