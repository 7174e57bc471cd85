"""Store imported responses: rounds that are over, with workers nobody here knows."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from studies.models import (
    Assignment,
    AssignmentState,
    Contribution,
    ContributionStatus,
    Response,
    ResponseState,
    Round,
    RoundState,
    Story,
    Study,
    Task,
)
from studies.services.response_layout import OpaqueLabels
from studies.services.response_reading import ResponseRow, fingerprint
from studies.services.story_matching import stored_stories
from studies.services.table_statistics import refresh_statistics
from studies.story_files.checks import composed, wording
from studies.story_files.results import Findings
from studies.task_types import TaskType

LONGEST_SOURCE = 200
Content = tuple[dict[str, Any], dict[str, Any]]


class PastRounds:
    """The rounds that one import makes, one for each task type in the file.

    Lives inside the import's transaction, with the study's row locked.
    """

    def __init__(
        self, study: Study, *, source: str, stories: Mapping[str, tuple[int, bytes]]
    ) -> None:
        self.study = study
        self.source = source[-LONGEST_SOURCE:]
        self.now = timezone.now()
        self.added = self.unchanged = self.stories_added = 0
        self.rounds: dict[str, Round] = {}
        self._tasks: dict[tuple[str, str], Task] = {}
        self._positions: dict[str, int] = {}
        # Story id (composed) -> primary key; wording of those that were here before.
        self._stories: dict[str, int] = {}
        self._wordings: dict[str, bytes] = {}
        for pk, key, title, sentences, _roles in stored_stories(study, list(stories)):
            self._stories[key] = pk
            self._wordings[key] = wording(title, sentences)
        self._own_labels = self._labels_of_own_responses()

    def add(self, batch: list[ResponseRow], findings: Findings) -> None:
        """Store the rows that are new; rows that contradict what is stored go to `findings`."""
        known = self._known([row.content.label for row in batch])
        fresh = []
        for row in batch:
            content = known.get(row.content.label)
            if content is None:
                if self._story_fits(row, findings):
                    fresh.append(row)
            elif content == (row.content.item, row.content.answers):
                self.unchanged += 1
            else:
                findings.problem(
                    "other_content_stored",
                    _("Assignment %(label)s is in this study already, with another content.")
                    % {"label": row.content.label},
                    row=row.row,
                )
        if fresh and not findings.problem_count:
            self._store(fresh)

    def finish(self) -> None:
        """Let each task want and have as many responses as came for it."""
        for round in self.rounds.values():
            counts = (
                Assignment.objects.filter(task=OuterRef("pk"))
                .order_by()
                .values("task")
                .annotate(n=Count("pk"))
                .values("n")
            )
            Task.objects.filter(round=round).update(
                overlap=Coalesce(Subquery(counts), 1), taken=Coalesce(Subquery(counts), 0)
            )
            round.overlap = round.tasks.aggregate(most=Max("overlap"))["most"]
            round.save(update_fields=["overlap"])
        refresh_statistics(Story, Task, Assignment, Response, Contribution, added=self.added)

    # --- what is there --------------------------------------------------------------------------

    def _labels_of_own_responses(self) -> dict[str, int]:
        """The labels that our own exports give to responses collected here."""
        own = Assignment.objects.filter(
            task__round__study=self.study, task__round__past=False, response__isnull=False
        )
        label = OpaqueLabels(self.study.export_salt).of
        return {label(pk): pk for pk in own.values_list("pk", flat=True).iterator()}

    def _known(self, labels: list[str]) -> dict[str, Content]:
        responses = Response.objects.filter(assignment__task__round__study=self.study)
        columns = ("assignment__task__payload", "answers")
        past = responses.filter(
            assignment__task__round__past=True, assignment__marketplace_id__in=labels
        ).values_list("assignment__marketplace_id", *columns)
        known = {label: (item, answers) for label, item, answers in past}
        own = {self._own_labels[label]: label for label in labels if label in self._own_labels}
        if own:
            rows = responses.filter(assignment__in=own).values_list("assignment_id", *columns)
            known |= {own[pk]: (item, answers) for pk, item, answers in rows}
        return known

    def _story_fits(self, row: ResponseRow, findings: Findings) -> bool:
        item = row.content.item
        key = composed(item.get("story_id", ""))
        stored = self._wordings.get(key)
        if stored is None or stored == wording(item.get("title", ""), item["sentences"]):
            return True
        findings.problem(
            "other_text_stored",
            _("Story %(story)s is in this study with another text.") % {"story": item["story_id"]},
            row=row.row,
        )
        return False

    # --- what is new ----------------------------------------------------------------------------

    def _store(self, rows: list[ResponseRow]) -> None:
        self._store_stories(rows)
        tasks = self._store_tasks(rows)
        assignments = Assignment.objects.bulk_create(
            Assignment(
                task=task,
                marketplace_id=row.content.label,
                state=AssignmentState.APPROVED,
                accepted_at=row.envelope.submitted_at or self.now,
                submitted_at=row.envelope.submitted_at,
            )
            for task, row in zip(tasks, rows, strict=True)
        )
        responses = Response.objects.bulk_create(
            Response(
                assignment=assignment,
                task_type=row.task_type.slug,
                schema_version=row.task_type.schema_version,
                answers=row.content.answers,
                cautions=row.envelope.cautions,
                state=ResponseState.CONFIRMED,
                submitted_at=row.envelope.submitted_at or self.now,
                confirmed_at=row.envelope.confirmed_at or self.now,
            )
            for assignment, row in zip(assignments, rows, strict=True)
        )
        Contribution.objects.bulk_create(
            Contribution(
                response=response, position=position, status=ContributionStatus.ACCEPTED, **piece
            )
            for response, row in zip(responses, rows, strict=True)
            for position, piece in enumerate(
                row.task_type.contributions(row.content.answers, row.content.item)
            )
        )
        self.added += len(rows)

    def _store_stories(self, rows: list[ResponseRow]) -> None:
        missing: dict[str, Story] = {}
        for row in rows:
            item = row.content.item
            if "story_id" not in item or "sentences" not in item:
                continue
            key = composed(item["story_id"])
            if key not in self._stories and key not in missing:
                missing[key] = Story(
                    study=self.study,
                    external_id=item["story_id"],
                    title=item.get("title", ""),
                    source=self.source,
                    sentences=item["sentences"],
                    roles=[""] * len(item["sentences"]),
                )
        stories = Story.objects.bulk_create(missing.values())
        self._stories |= {key: story.pk for key, story in zip(missing, stories, strict=True)}
        self.stories_added += len(stories)

    def _store_tasks(self, rows: list[ResponseRow]) -> list[Task]:
        """One task for each item of a round, in the order in which the items come up."""
        keys = [(row.task_type.slug, fingerprint(row.content.item)) for row in rows]
        missing: dict[tuple[str, str], Task] = {}
        for key, row in zip(keys, rows, strict=True):
            if key in self._tasks or key in missing:
                continue
            round = self._round(row.task_type)
            self._positions[round.task_type] = self._positions.get(round.task_type, 0) + 1
            story_id = row.content.item.get("story_id")
            missing[key] = Task(
                round=round,
                story_id=self._stories.get(composed(story_id)) if story_id else None,
                position=self._positions[round.task_type],
                payload=row.content.item,
                overlap=1,
                tie_break=0,
            )
        Task.objects.bulk_create(missing.values())
        self._tasks |= missing
        return [self._tasks[key] for key in keys]

    def _round(self, task_type: TaskType) -> Round:
        if task_type.slug not in self.rounds:
            newest = self.study.rounds.aggregate(newest=Coalesce(Max("number"), 0))["newest"]
            self.rounds[task_type.slug] = Round.objects.create(
                study=self.study,
                number=newest + 1,
                task_type=task_type.slug,
                schema_version=task_type.schema_version,
                overlap=1,
                reward_usd=Decimal(0),
                past=True,
                state=RoundState.CLOSED,
                seed=0,
            )
        return self.rounds[task_type.slug]
