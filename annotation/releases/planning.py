"""What a release would hold, worked out from the rows as they are; nothing is stored."""

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import Any

from annotation.models import ReviewPlan, Split, StorySplit
from annotation.releases.manifest import Manifest
from annotation.releases.reading import accepted_contributions
from annotation.releases.rule import ReleaseRule, TestFrom
from annotation.releases.splits import Placement, StoryRows, place_stories
from annotation.review.outcome import Outcome
from annotation.review.outcomes import settled_by_contribution
from studies.models import Study


@dataclass(frozen=True)
class ReleasePlan:
    """`placed` are the stories that this release puts into a split, by primary key."""

    manifest: Manifest
    placement: Placement
    placed: dict[int, Split]

    @property
    def too_few_reviewed(self) -> bool:
        return self.placement.missing_reviews > 0

    def as_dict(self) -> dict[str, Any]:
        stories = Counter(self.placement.splits.values())
        return {
            "rows": len(self.manifest),
            "splits": {
                split.value: {"rows": self.placement.rows[split], "stories": stories[split]}
                for split in Split
            },
            "withheld": self.placement.withheld,
        }


def plan_release(*, study: Study, seed: int, rule: ReleaseRule) -> ReleasePlan:
    """Two reads of a few numbers a row, and one of the verdicts where test rows ask for them."""
    contributions, stories = array("q"), array("q")
    rows = accepted_contributions(study).order_by("pk")
    for contribution, story in rows.values_list(
        "pk", "response__assignment__task__story_id"
    ).iterator():
        contributions.append(contribution)
        stories.append(story)
    testable = _judged_correct(study) if rule.test_from == TestFrom.REVIEWED else None
    names = _names_of(study, stories)
    counted = Counter(stories)
    may_test = Counter(
        story
        for contribution, story in zip(contributions, stories, strict=True)
        if testable is None or contribution in testable
    )
    before = dict(StorySplit.objects.filter(study=study).values_list("story_id", "split"))
    placement = place_stories(
        [StoryRows(names[pk], rows, may_test[pk]) for pk, rows in counted.items()],
        placed={names[pk]: Split(split) for pk, split in before.items() if pk in counted},
        ratios=rule.ratios,
        seed=seed,
    )
    if testable is None:
        placement.missing_reviews = 0
    splits = {pk: placement.splits[names[pk]] for pk in counted}
    manifest = Manifest()
    for contribution, story in zip(contributions, stories, strict=True):
        split = splits[story]
        withheld = split == Split.TEST and testable is not None and contribution not in testable
        manifest.add(contribution, "" if withheld else split)
    placed = {pk: split for pk, split in splits.items() if pk not in before}
    return ReleasePlan(manifest, placement, placed)


def _judged_correct(study: Study) -> set[int]:
    """Contributions that experts have settled as correct, in the sample or outside it."""
    plan = ReviewPlan.objects.filter(study=study).first()
    settled = settled_by_contribution(plan) if plan else {}
    return {pk for pk, one in settled.items() if one.outcome == Outcome.CORRECT}


def _names_of(study: Study, stories: "array[int]") -> dict[int, str]:
    """External ids, by which stories are placed: they outlive a database."""
    used = set(stories)
    names = study.stories.values_list("pk", "external_id").iterator()
    return {pk: name for pk, name in names if pk in used}
