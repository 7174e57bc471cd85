"""A study's review plan, and its parameters as rules."""

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import ReviewPlan
from annotation.proficiency.rule import ProficiencyRule
from annotation.review.sampling import SamplingRule
from studies import task_types
from studies.changing import change_fields
from studies.models import Round, Study

SEED_BITS = 31
# What researchers change of a plan. Seed and study stay as they are: samples were drawn with them.
RULE = ("sample_share", "slower_share", "slower_plus", "sample_most", "double_share")
PROFICIENT = ("min_responses", "max_rejected_share")


@transaction.atomic
def ensure_plan(*, study: Study) -> ReviewPlan:
    """The study's plan, made on first need over its rounds whose responses can be reviewed."""
    plan, is_new = ReviewPlan.objects.get_or_create(
        study=study, defaults={"seed": secrets.randbits(SEED_BITS)}
    )
    if is_new:
        plan.rounds.set(reviewable_rounds(study))
    return plan


def reviewable_rounds(study: Study) -> list[Round]:
    """No pilots, and of a task type that says how it is reviewed."""
    reviewed = [one.slug for one in task_types.all_types() if one.review is not None]
    return list(study.rounds.filter(pilot=False, task_type__in=reviewed).order_by("number"))


def rounds_to_review(studies: QuerySet[Study]) -> QuerySet[Round]:
    """Those that can be put under review; a pilot cannot."""
    return Round.objects.filter(study__in=studies, pilot=False)


def change_plan(*, plan: ReviewPlan, changes: Mapping[str, Any]) -> ReviewPlan:
    """Rounds are given by their ids. Raises ValidationError."""
    return change_fields(plan, changes, fields=("rounds", *RULE, *PROFICIENT))


def sampling_rule(plan: ReviewPlan) -> SamplingRule:
    return SamplingRule(
        share=plan.sample_share,
        slower_share=plan.slower_share,
        slower_plus=plan.slower_plus,
        most=plan.sample_most,
    )


def proficiency_rule(plan: ReviewPlan) -> ProficiencyRule:
    return ProficiencyRule(
        min_responses=plan.min_responses, max_rejected_share=plan.max_rejected_share
    )
