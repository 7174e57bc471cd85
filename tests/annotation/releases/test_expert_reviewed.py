"""Test rows that experts judged correct; the rest of their stories is withheld."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Judgement, Release, ReviewSource, Verdict
from annotation.releases.building import TooFewReviewed
from annotation.releases.rule import ReleaseRule, TestFrom, read_ratios
from annotation.review.plans import ensure_plan
from studies.models import Contribution, Study
from tests.annotation.releases.world import bring, build, past_rows
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db
STORY = "response__assignment__task__story"


def judge(contribution: Contribution, judgement: Judgement, expert: str = "ada") -> None:
    correct = judgement == Judgement.CORRECT
    Verdict.objects.create(
        contribution=contribution,
        reviewer=User.objects.get_or_create(username=expert)[0],
        source=ReviewSource.SINGLE,
        judgement=judgement,
        grade="good" if correct else "",
        step=None if correct else 1,
        reason="" if correct else "stated",
        decided_at=timezone.now(),
    )


def reviewed_study(correct: int, stories: int = 100) -> tuple[Study, list[Contribution]]:
    """Three rows a story; one row of so many stories was found correct."""
    study = make_study()
    bring(study, past_rows(stories))
    ensure_plan(study=study)
    rows = list(Contribution.objects.order_by("pk"))
    for contribution in rows[: 3 * correct : 3]:
        judge(contribution, Judgement.CORRECT)
    return study, rows


def test_a_test_row_is_a_reviewed_correct_one_and_the_others_of_its_story_are_withheld() -> None:
    study, rows = reviewed_study(40)
    judge(rows[1], Judgement.REJECT)

    release = build(study, test_from=TestFrom.REVIEWED)

    test = Contribution.objects.filter(release_rows__release=release, release_rows__split="test")
    assert all(one.verdicts.get().judgement == Judgement.CORRECT for one in test)
    withheld = release.rows.filter(split="")
    stories = set(test.values_list(STORY, flat=True))
    assert len(stories) == test.count()
    assert set(withheld.values_list(f"contribution__{STORY}", flat=True)) == stories
    assert withheld.count() == 2 * test.count() == release.statistics["withheld"]
    inside = release.rows.exclude(split="").count()
    assert test.count() / inside == pytest.approx(0.08, abs=0.01)


def test_a_dispute_makes_no_test_row() -> None:
    study, rows = reviewed_study(40)
    for contribution in rows[:60:3]:
        judge(contribution, Judgement.REJECT, "omar")

    test = build(study, test_from=TestFrom.REVIEWED).rows.filter(split="test")

    assert not {one.contribution_id for one in test} & {one.pk for one in rows[:60]}


def test_later_rows_of_a_test_story_are_withheld_and_later_reviews_bring_them_in() -> None:
    study, _rows = reviewed_study(40)
    first = build(study, test_from=TestFrom.REVIEWED)
    more = [row | {"AssignmentId": row["AssignmentId"] + "-more"} for row in past_rows(100, each=1)]
    bring(study, more)

    rule: dict[str, Any] = {"test_from": TestFrom.REVIEWED, "ratios": read_ratios(".82,.12,.06")}
    second = build(study, "v2", **rule)

    before = set(first.rows.filter(split="test").values_list("contribution_id", flat=True))
    after = set(second.rows.filter(split="test").values_list("contribution_id", flat=True))
    assert before <= after
    stories = set(first.rows.filter(split="test").values_list(f"contribution__{STORY}", flat=True))
    late = second.rows.filter(
        contribution__response__assignment__marketplace_id__endswith="-more",
        **{f"contribution__{STORY}__in": stories},
    )
    assert {row.split for row in late} == {""}
    judge(late[0].contribution, Judgement.CORRECT)
    third = build(study, "v3", **rule)
    assert third.rows.get(contribution=late[0].contribution_id).split == "test"


def test_too_few_reviews_are_told_and_so_many_more_are_enough() -> None:
    study, rows = reviewed_study(5)

    with pytest.raises(TooFewReviewed) as refused:
        build(study, test_from=TestFrom.REVIEWED)

    missing = refused.value.missing
    with pytest.raises(CommandError, match=f"{missing} more responses have to be reviewed"):
        call_command(
            *("build_release", study.slug, "--name", "v1", "--test-from", "expert-reviewed"),
            stderr=StringIO(),
        )
    assert not Release.objects.exists()
    for contribution in rows[15 : 15 + 3 * missing : 3]:
        judge(contribution, Judgement.CORRECT)
    build(study, test_from=TestFrom.REVIEWED)


def test_the_rule_is_kept_with_the_release() -> None:
    study, _rows = reviewed_study(40)

    release = build(study, test_from=TestFrom.REVIEWED)

    assert ReleaseRule.from_dict(Release.objects.get().rule) == ReleaseRule(
        test_from=TestFrom.REVIEWED
    )
    assert release.rule["test_from"] == "expert-reviewed"
