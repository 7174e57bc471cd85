from decimal import Decimal
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.base import counted
from annotation.review.agreement import ExpertAgreement
from annotation.review.drawing import DrawSummary, top_up_samples
from annotation.review.plans import ensure_plan, sampling_rule
from annotation.review.summary import ReviewSummary, plan_data, summary_of
from studies.management.base import StudyCommand


class Command(StudyCommand):
    help = (
        "Show how a study is reviewed: the rule of its sample, how far the experts are, and how "
        "far they agree. With --top-up, draw first what the rule asks for by now; earlier picks "
        "stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--top-up", action="store_true", help="draw what is missing")

    def handle(self, *args: Any, **options: Any) -> None:
        plan = ensure_plan(study=self.find_study(options["study"]))
        drawn = top_up_samples(plan=plan) if options["top_up"] else None
        summary = summary_of(plan)
        self.report(summary.as_dict(drawn), describe(summary, drawn), options)


def describe(summary: ReviewSummary, drawn: DrawSummary | None) -> str:
    plan, outcomes, missing = summary.plan, summary.outcomes, summary.missing
    facts = plan_data(plan)
    rule = sampling_rule(plan)
    rounds = ", ".join(map(str, facts["rounds"])) or "none yet"
    lines = [
        f"Rounds under review: {rounds}.",
        f"Rule: {percent(rule.share)} of a worker's responses; further on "
        f"{percent(rule.slower_share)} and {rule.slower_plus} more, where that is less; "
        f"at most {rule.most}. "
        f"{percent(plan.double_share)} of them for two experts. Seed {plan.seed}.",
    ]
    if drawn is not None:
        lines.append(
            f"Drawn: {responses(drawn.picks)} of {workers(drawn.participants)}, "
            f"{drawn.doubles:,} for two experts."
        )
    lines += [
        f"Sample: {responses(outcomes['picks'])} ({outcomes['doubles']:,} for two experts) of "
        f"{summary.submitted:,} by {workers(len(summary.coverage))}"
        + (f"; still to be drawn: {missing:,} (--top-up)." if missing else "."),
        f"Judged: {outcomes['correct']} correct, {outcomes['rejected']} rejected, "
        f"{outcomes['disputed']} disputed, {outcomes['open']} open.",
    ]
    agreements = summary.agreements.items()
    return "\n".join(lines + [say_agreement(name, found) for name, found in agreements])


def responses(count: int) -> str:
    return counted(count, "response", "responses")


def workers(count: int) -> str:
    return counted(count, "worker", "workers")


def percent(share: Decimal) -> str:
    return f"{(100 * share).normalize():f}%"


def say_agreement(name: str, found: ExpertAgreement) -> str:
    head = f"Agreement, {name}: {responses(found.contributions)}"
    if found.percent.value is None or found.ac1.value is None:
        return f"{head}; unknown, since {found.ac1.undefined_reason}."
    error = "" if found.ac1.se is None else f" (SE {found.ac1.se:.3f})"
    return f"{head}, {found.percent.value:.1%} alike, AC1 {found.ac1.value:.3f}{error}."
