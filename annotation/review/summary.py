"""How a study is reviewed and how far it is, as commands and the API tell it."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from annotation.models import ReviewPlan
from annotation.review.agreement import ExpertAgreement, expert_agreement, pool_agreement
from annotation.review.counted import counted_picks
from annotation.review.drawing import Coverage, DrawSummary, coverage_of
from annotation.review.outcome import Outcome
from annotation.review.outcomes import settled_by_contribution
from annotation.review.plans import sampling_rule

DOUBLE = "doubly reviewed"


@dataclass(frozen=True)
class ReviewSummary:
    plan: ReviewPlan
    coverage: list[Coverage]
    outcomes: dict[str, int]
    agreements: dict[str, ExpertAgreement]

    @property
    def submitted(self) -> int:
        return sum(one.submitted for one in self.coverage)

    @property
    def missing(self) -> int:
        return sum(one.missing for one in self.coverage)

    def as_dict(self, drawn: DrawSummary | None = None) -> dict[str, Any]:
        return {
            "study": self.plan.study.slug,
            "plan": plan_data(self.plan),
            "drawn": drawn and asdict(drawn),
            "workers": len(self.coverage),
            "responses": self.submitted,
            "required": sum(one.required for one in self.coverage),
            "missing": self.missing,
            "sample": self.outcomes,
            "agreement": {name: asdict(found) for name, found in self.agreements.items()},
        }


def summary_of(plan: ReviewPlan) -> ReviewSummary:
    pools = plan.pools.order_by("pk")
    return ReviewSummary(
        plan=plan,
        coverage=coverage_of(plan),
        outcomes=outcomes_of(plan),
        agreements={DOUBLE: expert_agreement(plan=plan)}
        | {str(pool): pool_agreement(pool=pool) for pool in pools},
    )


def plan_data(plan: ReviewPlan) -> dict[str, Any]:
    return {
        "seed": plan.seed,
        "rounds": list(plan.rounds.order_by("number").values_list("number", flat=True)),
        "rule": asdict(sampling_rule(plan)),
        "double_share": plan.double_share,
    }


def outcomes_of(plan: ReviewPlan) -> dict[str, int]:
    """The sample's picks, how many of them two experts judge, and what stands for them."""
    experts = dict(counted_picks(plan.pk).values_list("contribution", "experts"))
    settled = settled_by_contribution(plan)
    counts = Counter(settled[pk].outcome for pk in experts)
    return {
        "picks": len(experts),
        "doubles": sum(count == 2 for count in experts.values()),
        **{outcome.value: counts[outcome] for outcome in Outcome},
    }
