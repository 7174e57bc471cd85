from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.base import counted
from annotation.models import Standing
from annotation.proficiency.changes import Foreseen, changes_of, foresee
from annotation.proficiency.deciding import apply_standings
from annotation.proficiency.rule import ProficiencyRule
from annotation.proficiency.standings import WorkerStanding, described, listed, standings_of
from annotation.proficiency.words import (
    say_interval,
    say_needed,
    say_outlook,
    say_rule,
    say_share,
)
from annotation.review.plans import ensure_plan, proficiency_rule
from studies.management.base import StudyCommand

COLUMNS = "{:<14} {:>5} {:>5} {:>8} {:>8} {:>6}  {:<12}  {}"
HEADS = ("worker", "n", "e", "reviewed", "rejected", "rate", "95% interval", "standing")


class Command(StudyCommand):
    help = (
        "List the standing of every worker of a study, under pseudonyms. With --apply, write down "
        "what has changed, grant or revoke the qualification, accept or reject contributions and "
        "approve the payment of decided workers. Safe to repeat."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--extra",
            metavar="K",
            type=int,
            default=10,
            help="say what K more reviews of a worker could change (default: 10)",
        )
        parser.add_argument("--apply", action="store_true", help="act on the standings")

    def handle(self, *args: Any, **options: Any) -> None:
        study, extra = self.find_study(options["study"]), options["extra"]
        if extra < 1:
            raise CommandError("--extra is a whole number, one or more.")
        rule = proficiency_rule(ensure_plan(study=study))
        foreseen = foresee(changes_of(study))
        if options["apply"]:
            self.run_job(apply_standings(study=study), unit="steps")
        workers = standings_of(study)
        data = {
            "study": study.slug,
            "rule": asdict(rule),
            "extra": extra,
            "workers": [row_of(worker, rule, extra) for worker in workers],
            "changes": asdict(foreseen),
            "applied": options["apply"],
        }
        self.report(data, describe(workers, rule, extra, foreseen, options["apply"]), options)


def row_of(worker: WorkerStanding, rule: ProficiencyRule, extra: int) -> dict[str, Any]:
    outlook = rule.look_ahead(worker.evidence, extra)
    return {
        **described(worker),
        "needed": say_needed(worker.evidence, rule),
        "with_extra": {
            "reviews": outlook.more,
            "possible": [one.value for one in Standing if one in outlook.possible],
            "proficient_with_at_most_rejected": outlook.most_rejected,
        },
    }


def describe(
    workers: list[WorkerStanding],
    rule: ProficiencyRule,
    extra: int,
    foreseen: Foreseen,
    applied: bool,
) -> str:
    if not workers:
        return "No worker has responses under review."
    lines = [say_rule(rule), "", COLUMNS.format(*HEADS)]
    lines += [line_of(worker, rule, extra) for worker in workers]
    standings = [worker.standing for worker in workers]
    counts = [f"{standings.count(one):,} {one.label}" for one in listed(standings)]
    everybody = counted(len(workers), "worker", "workers")
    done = "Applied" if applied else "Nothing is changed; --apply would do this"
    lines += ["", f"{everybody}: {', '.join(counts)}.", f"{done}: {say(foreseen)}."]
    return "\n".join(lines)


def line_of(worker: WorkerStanding, rule: ProficiencyRule, extra: int) -> str:
    evidence = worker.evidence
    low, high = evidence.interval
    needed = say_needed(evidence, rule)
    standing = f"{worker.standing.label}{f' ({needed})' if needed else ''}"
    ahead = rule.look_ahead(evidence, extra)
    outlook = say_outlook(ahead)
    return COLUMNS.format(
        worker.participant.pseudonym,
        evidence.submitted,
        evidence.required,
        evidence.reviewed,
        evidence.rejected,
        say_share(evidence.rejected_share),
        say_interval(low, high),
        f"{standing}; with {ahead.more} more: {outlook}" if outlook else standing,
    )


def say(foreseen: Foreseen) -> str:
    return (
        f"{counted(foreseen.written, 'decision', 'decisions')}, "
        f"newly proficient {foreseen.granted:,}, no longer proficient {foreseen.withdrawn:,}, "
        f"{counted(foreseen.accepted, 'contribution', 'contributions')} accepted, "
        f"{foreseen.rejected:,} rejected, "
        f"{counted(foreseen.approved, 'assignment', 'assignments')} approved "
        f"(${foreseen.cost_usd:,})"
    )
