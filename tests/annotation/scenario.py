"""A study as large as the published one: 136 workers, 9,656 responses, and who writes how well."""

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from annotation.models import Judgement, Pick, Release, ReviewPlan, ReviewSource, Verdict
from annotation.proficiency.changes import changes_of
from annotation.proficiency.deciding import apply_change
from annotation.releases.building import build_release
from annotation.releases.rule import ReleaseRule, TestFrom
from annotation.review.drawing import top_up_samples
from annotation.review.plans import ensure_plan, proficiency_rule
from studies.models import (
    Assignment,
    AssignmentState,
    Contribution,
    Participant,
    Response,
    ResponseState,
    Round,
    RoundState,
    Story,
    Study,
    Task,
    Worker,
)
from tests.annotation.review.factories import make_reviewer
from tests.studies.factories import make_study

WORKERS, RESPONSES, STORIES = 136, 9_656, 5_000
# The share of wrong work that a worker's responses have, one worker after the other.
WRONG_SHARES = (0.02, 0.05, 0.08, 0.12, 0.18, 0.19, 0.21, 0.3, 0.5)


@dataclass
class Scenario:
    """`wrong`: the contributions that are wrong in truth. `of`: each worker's, by participant."""

    study: Study
    plan: ReviewPlan
    experts: list[User]
    of: dict[int, list[int]]
    wrong: set[int]

    def judge_sample(self) -> None:
        """Every pick is judged by as many experts as it asks for, who are always right."""
        now = timezone.now()
        picks = list(Pick.objects.filter(draw__plan=self.plan).order_by("pk"))
        Verdict.objects.bulk_create(
            self._verdict(pick.contribution_id, expert, now)
            for pick in picks
            for expert in self.experts[: pick.experts]
        )
        for pick in picks:
            pick.taken = pick.experts
        Pick.objects.bulk_update(picks, ["taken"], batch_size=2000)
        _count_rows()

    def _verdict(self, contribution: int, expert: User, now: Any) -> Verdict:
        wrong = contribution in self.wrong
        said = {"step": 1, "reason": "action"} if wrong else {"grade": "correct"}
        return Verdict(
            contribution_id=contribution,
            reviewer=expert,
            source=ReviewSource.SAMPLE,
            judgement=Judgement.REJECT if wrong else Judgement.CORRECT,
            decided_at=now,
            **said,
        )


def make_scenario(seed: int = 1) -> Scenario:
    """Everything up to the drawn sample; the same seed makes the same."""
    draw = random.Random(seed)
    study = make_study(slug=f"large-{seed}", title="A large study")
    round = _round(study)
    tasks = _tasks(round)
    participants = _participants(study)
    written = _responses(tasks, participants, sizes_of(draw))
    wrong = {
        pk
        for place, participant in enumerate(participants)
        for pk in written[participant.pk]
        if draw.random() < WRONG_SHARES[place % len(WRONG_SHARES)]
    }
    plan = ensure_plan(study=study)
    ReviewPlan.objects.filter(pk=plan.pk).update(seed=seed)
    plan.refresh_from_db()
    _count_rows()
    top_up_samples(plan=plan)
    return Scenario(study, plan, [make_reviewer(study) for _ in range(2)], written, wrong)


def _count_rows() -> None:
    """As the database does by itself before long: it plans for what it has counted."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def make_judged(seed: int = 1) -> tuple[Scenario, Release]:
    """With every verdict given, every standing applied, and a release."""
    scenario = make_scenario(seed)
    scenario.judge_sample()
    for change in changes_of(scenario.study):
        apply_change(change=change, rule=proficiency_rule(scenario.plan))
    rule = ReleaseRule(test_from=TestFrom.REVIEWED)
    return scenario, build_release(study=scenario.study, name="v1", seed=11, rule=rule)


def sizes_of(draw: random.Random) -> list[int]:
    """How many responses each worker has: a few have many, and together they have them all."""
    weights = [draw.paretovariate(1.2) for _ in range(WORKERS)]
    sizes = [min(500, 5 + int(RESPONSES * weight / sum(weights))) for weight in weights]
    place = 0
    while sum(sizes) != RESPONSES:
        step = 1 if sum(sizes) < RESPONSES else -1
        sizes[place % WORKERS] = max(5, sizes[place % WORKERS] + step)
        place += 1
    return sizes


def _round(study: Study) -> Round:
    return Round.objects.create(
        study=study,
        number=1,
        task_type="state_annotation",
        schema_version=1,
        overlap=3,
        reward_usd="0.35",
        state=RoundState.CLOSED,
        seed=7,
        expires_at=timezone.now() + timedelta(days=7),
    )


def _tasks(round: Round) -> list[Task]:
    stories = Story.objects.bulk_create(
        Story(
            study=round.study,
            external_id=f"s-{number:05}",
            title=f"Lamp {number}",
            source="scenario",
            sentences=_sentences(number),
            roles=[""] * 5,
        )
        for number in range(STORIES)
    )
    return Task.objects.bulk_create(
        Task(
            round=round,
            story=story,
            position=place,
            payload={
                "story_id": story.external_id,
                "title": story.title,
                "sentences": story.sentences,
            },
            overlap=3,
            taken=0,
            tie_break=place,
        )
        for place, story in enumerate(stories)
    )


def _sentences(number: int) -> list[str]:
    return [
        f"Lamp {number} stood by the window.",
        "Ilse lit it when the rain began.",
        "Nobody in the street looked up.",
        "She read the letter a second time.",
        "Then she put the lamp out.",
    ]


def _participants(study: Study) -> list[Participant]:
    workers = Worker.objects.bulk_create(
        Worker(marketplace_id=f"A{study.slug.upper()}{number:04}") for number in range(WORKERS)
    )
    return Participant.objects.bulk_create(
        Participant(study=study, worker=worker, pseudonym=f"w-{study.pk}-{number:04}")
        for number, worker in enumerate(workers)
    )


def _responses(
    tasks: list[Task], participants: list[Participant], sizes: list[int]
) -> dict[int, list[int]]:
    """Each worker takes up the stories where the one before left off, so none twice."""
    now, place = timezone.now(), 0
    assignments = []
    for participant, size in zip(participants, sizes, strict=True):
        for _ in range(size):
            assignments.append(
                Assignment(
                    task=tasks[place % len(tasks)],
                    participant=participant,
                    marketplace_id=f"M{place:07}",
                    state=AssignmentState.SUBMITTED,
                    accepted_at=now - timedelta(minutes=4),
                    submitted_at=now,
                )
            )
            place += 1
    Assignment.objects.bulk_create(assignments, batch_size=2000)
    responses = Response.objects.bulk_create(
        (
            Response(
                assignment=assignment,
                task_type="state_annotation",
                schema_version=1,
                answers=_answers(assignment.task.payload, number),
                state=ResponseState.CONFIRMED,
                submitted_at=now,
                confirmed_at=now,
            )
            for number, assignment in enumerate(assignments)
        ),
        batch_size=2000,
    )
    made = Contribution.objects.bulk_create(
        (
            Contribution(response=response, kind="state_annotation", content=response.answers)
            for response in responses
        ),
        batch_size=2000,
    )
    written: dict[int, list[int]] = {participant.pk: [] for participant in participants}
    for assignment, contribution in zip(assignments, made, strict=True):
        written[assignment.participant_id].append(contribution.pk)  # type: ignore[index]
    return written


def _answers(item: dict[str, Any], number: int) -> dict[str, Any]:
    revised = list(item["sentences"])
    revised[3] = f"She tore the letter up, {number} pieces in all."
    return {
        "assertion": f"Ilse is calm, {number}.",
        "justification": [2, 5],
        "changed_assertion": f"Ilse is upset, {number}.",
        "revision": revised,
    }
