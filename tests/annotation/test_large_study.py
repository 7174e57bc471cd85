"""A study of the published size, from the sample to the release, held to the rules as written."""

import hashlib
from collections.abc import Iterator
from decimal import Decimal
from math import ceil
from pathlib import Path

import pytest
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries, DjangoDbBlocker

from annotation.models import Pick, Release, ReleaseRow, Split, Standing
from annotation.proficiency.changes import changes_of
from annotation.proficiency.deciding import apply_change
from annotation.proficiency.standings import standings_of
from annotation.releases.building import build_release
from annotation.releases.exporting import export_release
from annotation.releases.rule import ReleaseRule, TestFrom
from annotation.review import queue
from annotation.review.adjudication import disputed
from annotation.review.agreement import expert_agreement, pool_agreement
from annotation.review.drawing import DrawSummary, coverage_of, top_up_samples
from annotation.review.outcomes import evidence_by_participant, settled_by_contribution
from annotation.review.plans import proficiency_rule
from annotation.review.pools import draw_pool
from studies.models import Contribution, ContributionStatus, Participant, Payment
from tests.annotation.large_pages import BUDGETS, statements_of_pages
from tests.annotation.review.factories import judge
from tests.annotation.scenario import RESPONSES, WORKERS, Scenario, make_scenario

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def scenario(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Scenario]:
    """Made once: each test works in a transaction inside the one that holds it."""
    with django_db_blocker.unblock():
        with transaction.atomic():
            made = make_scenario()
            # Else every test would have every row of the study checked when it ends.
            connection.check_constraints()
            yield made
            transaction.set_rollback(True)
        with connection.cursor() as cursor:
            # Other tests would read past the rows that are gone, and plan for as many.
            cursor.execute("VACUUM ANALYZE")


def required(n: int) -> int:
    """The rule as the study wrote it, in whole tenths."""
    tenths = 3 * n if n < 100 else 2 * n + 100 if n < 150 else 400
    return -(-tenths // 10)


def test_a_large_study_from_the_sample_to_the_release(
    scenario: Scenario, tmp_path: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    assert len(scenario.of) == WORKERS
    assert sum(map(len, scenario.of.values())) == RESPONSES

    drawn = picks_of(scenario)
    for participant, written in scenario.of.items():
        assert len(drawn[participant]) == required(len(written))
        assert drawn[participant] <= set(written)
    doubles = Pick.objects.filter(experts=2).count()
    assert doubles == round(Decimal("0.1") * Pick.objects.count())

    scenario.judge_sample()
    with django_assert_max_num_queries(12):
        standings = {one.participant.pk: one.standing for one in standings_of(scenario.study)}
    for participant, written in scenario.of.items():
        assert standings[participant] == expected_standing(scenario, written, drawn[participant])
    assert {Standing.PROFICIENT, Standing.NOT_PROFICIENT} == set(standings.values())

    with django_assert_max_num_queries(20):
        changes = changes_of(scenario.study)
    for change in changes:
        apply_change(change=change, rule=proficiency_rule(scenario.plan))
    accepted = expected_accepted(scenario, standings, drawn)
    statuses = dict(Contribution.objects.values_list("pk", "status"))
    assert {pk for pk, status in statuses.items() if status == "accepted"} == accepted
    assert ContributionStatus.PENDING not in statuses.values()
    assert Payment.objects.count() == RESPONSES
    assert Participant.objects.filter(qualified_at__isnull=False).count() == sum(
        standing == Standing.PROFICIENT for standing in standings.values()
    )
    release = check_releases(scenario, accepted, drawn, tmp_path)
    asked = statements_of_pages(scenario, release)
    assert not {name: count for name, count in asked.items() if count > BUDGETS[name]}, asked


def picks_of(scenario: Scenario) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {participant: set() for participant in scenario.of}
    for participant, pk in Pick.objects.values_list("draw__participant", "contribution"):
        found[participant].add(pk)
    return found


def expected_standing(scenario: Scenario, written: list[int], drawn: set[int]) -> Standing:
    rejected = len(drawn & scenario.wrong)
    able = len(written) >= 50 and 5 * rejected <= len(drawn)
    return Standing.PROFICIENT if able else Standing.NOT_PROFICIENT


def expected_accepted(
    scenario: Scenario, standings: dict[int, Standing], drawn: dict[int, set[int]]
) -> set[int]:
    """All but the rejected ones of the proficient; of the others what experts found correct."""
    kept: set[int] = set()
    for participant, written in scenario.of.items():
        judged = drawn[participant]
        if standings[participant] == Standing.PROFICIENT:
            kept |= set(written) - (judged & scenario.wrong)
        else:
            kept |= judged - scenario.wrong
    return kept


def check_releases(
    scenario: Scenario, accepted: set[int], drawn: dict[int, set[int]], folder: Path
) -> Release:
    rule = ReleaseRule(test_from=TestFrom.REVIEWED)
    releases = [
        build_release(study=scenario.study, name=name, seed=11, rule=rule) for name in ("v1", "v2")
    ]
    assert releases[0].sha256 == releases[1].sha256
    rows = ReleaseRow.objects.filter(release=releases[0])
    assert set(rows.values_list("contribution", flat=True)) == accepted

    split_of = rows.exclude(split="").values_list("split", "contribution")
    test = {pk for split, pk in split_of if split == Split.TEST}
    correct = set().union(*drawn.values()) - scenario.wrong
    assert test <= correct
    assert abs(len(test) / len(split_of) - 0.08) <= 0.01
    story = "contribution__response__assignment__task__story"
    placed = rows.exclude(split="").order_by().values_list(story, "split").distinct()
    assert len(placed) == len({one for one, _split in placed})

    files = [export_to(release, folder / release.name) for release in releases]
    assert files[0] == files[1]
    assert files[0]
    return releases[0]


def export_to(release: Release, folder: Path) -> dict[str, str]:
    export_release(release=release, folder=folder)
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_the_rule_in_tenths_is_the_rule_in_shares() -> None:
    for n in range(200):
        share = 0.3 * n if n < 100 else 0.2 * n + 10 if n < 150 else 40
        assert required(n) in {ceil(share), ceil(share - 1e-9)}


def test_each_answer_costs_a_handful_of_statements(
    scenario: Scenario, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    plan, [one, other] = scenario.plan, scenario.experts
    with django_assert_max_num_queries(12):
        assert sum(row.submitted for row in coverage_of(plan)) == RESPONSES
        assert top_up_samples(plan=plan) == DrawSummary(0, 0, 0)
    with django_assert_max_num_queries(16):
        first = queue.next_turn(reviewer=one, study=scenario.study)
        assert first is not None
        assert queue.upcoming_turn(turn=first, study=scenario.study) is not None
    with django_assert_max_num_queries(9):
        judge(first)
    with django_assert_max_num_queries(7):
        told = queue.progress(reviewer=one, study=scenario.study)
    assert (told.done, told.left) == (1, Pick.objects.count() - 1)
    with django_assert_max_num_queries(4):
        assert not disputed(plan).exists()
        assert len(settled_by_contribution(plan)) == Pick.objects.count()
    assert queue.next_turn(reviewer=other, study=scenario.study) is not None


def test_what_stands_is_read_at_once(
    scenario: Scenario, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    plan = scenario.plan
    scenario.judge_sample()
    with django_assert_max_num_queries(2):
        settled = settled_by_contribution(plan)
    with django_assert_max_num_queries(4):
        evidence = evidence_by_participant(plan)
    assert len(evidence) == WORKERS
    assert all(one.reviewed == one.required for one in evidence.values())
    assert sum(one.rejected for one in evidence.values()) == len(settled.keys() & scenario.wrong)
    with django_assert_max_num_queries(2):
        agreement = expert_agreement(plan=plan)
    assert agreement.contributions == Pick.objects.filter(experts=2).count()
    assert (agreement.percent.value, agreement.ac1.value) == (1, 1)
    with django_assert_max_num_queries(10):
        pool = draw_pool(plan=plan, size=200, seed=5)
    rejected = pool.contributions.filter(pk__in=scenario.wrong).count()
    assert abs(rejected - 200 * len(settled.keys() & scenario.wrong) / len(settled)) < 1
    with django_assert_max_num_queries(4):
        assert pool_agreement(pool=pool).contributions > 0
