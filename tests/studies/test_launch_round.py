"""Launching and changing a round: what is made, what is refused, what the command says."""

import json
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from studies import mturk, task_types
from studies.models import Eligibility, Job, JobState, Round, RoundState, Slot, Study, Task
from studies.mturk_requirements import APPROVAL_RATE, APPROVED_HITS, LOCALE
from studies.services import publishing, rounds
from studies.services.plans import Plan, RoundRefused
from studies.services.qualification import grant_qualification
from tests.studies import factories as make

pytestmark = pytest.mark.django_db


class Marketplace:
    """Stands in for studies.mturk while a round is published."""

    def __init__(self) -> None:
        self.hits: dict[str, str] = {}
        self.hit_types: list[mturk.HitType] = []
        self.expirations: Counter[str] = Counter()
        self.fail_after: int | None = None

    def create_hit_type(self, hit_type: mturk.HitType) -> str:
        self.hit_types.append(hit_type)
        return "T" * 30

    def create_hit(self, *, hit_type_id: str, url: str, key: str, lifetime: timedelta) -> str:
        if self.fail_after is not None and len(self.hits) >= self.fail_after:
            raise mturk.MarketplaceUnavailable("The marketplace does not answer.")
        return self.hits.setdefault(key, make.new_hit_id())

    def published_hits(self) -> list[mturk.PublishedHit]:
        return [mturk.PublishedHit(hit_id, key) for key, hit_id in self.hits.items()]

    def set_expiration(self, hit_id: str, at: Any) -> None:
        self.expirations[hit_id] += 1


@pytest.fixture
def marketplace(monkeypatch: pytest.MonkeyPatch) -> Marketplace:
    double = Marketplace()
    for name in ("create_hit_type", "create_hit", "published_hits", "set_expiration"):
        monkeypatch.setattr(mturk, name, getattr(double, name))
    monkeypatch.setattr(mturk, "create_qualification_type", lambda **words: "Q" * 30)
    monkeypatch.setattr(mturk, "subscribe", lambda *ids: None)
    # In this process only one connection sees what the test has not committed.
    monkeypatch.setattr(publishing, "PUBLISHERS", 1)
    return double


@pytest.fixture
def study() -> Study:
    made = make.make_study(slug="harbour")
    make.make_stories(made, 5)
    return made


def launch(*options: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    command = ["launch_round", "harbour", "--task=state_annotation", "--overlap=3", "--reward=0.35"]
    call_command(*command, *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_round_has_a_task_for_every_story_and_a_slot_for_every_worker_of_it(
    study: Study, marketplace: Marketplace
) -> None:
    said, _ = launch("--format=json")

    facts = json.loads(said)
    assert (facts["tasks"], facts["slots"], facts["total_usd"]) == (5, 15, "6.30")
    round = Round.objects.get()
    assert round.state == RoundState.OPEN
    assert [task.payload["story_id"] for task in round.tasks.all()] == [
        story.external_id for story in study.stories.order_by("pk")
    ]
    assert set(round.slots.values_list("hit_id", flat=True)) == set(marketplace.hits.values())
    assert len(marketplace.hits) == 15


def test_the_limit_takes_the_first_stories(study: Study, marketplace: Marketplace) -> None:
    launch("--limit=2")

    assert Task.objects.count() == 2


def test_a_dry_run_costs_and_makes_nothing(study: Study) -> None:
    said, _ = launch("--dry-run")

    assert "15 slots: $5.25 and $1.05 fee, together $6.30" in said
    single, _ = launch("--dry-run", "--limit=1", "--overlap=1")
    assert single.startswith("1 task, 1 slot: $0.35 and $0.07 fee")
    assert not Round.objects.exists()


def test_a_round_that_pays_nothing_is_launched_when_that_is_said(
    study: Study, marketplace: Marketplace
) -> None:
    launch("--reward=0", "--unpaid")

    assert Round.objects.get().reward_usd == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--task=telepathy"], "There is no task type “telepathy”. Known: rating, state_ann"),
        (["--reward=abc"], "“abc” is not an amount in US dollars"),
        (["--reward=NaN"], "is not an amount"),
        (["--reward=-1"], "The reward cannot be negative."),
        (["--reward=0"], "This round pays nothing. Add --unpaid"),
        (["--reward=0.351"], "The reward is in whole cents."),
        (["--reward=1e400"], "The reward of one task is at most"),
        ([f"--seed={2**63}"], "The seed is a whole number from 0 to 9223372036854775807."),
        (["--items=outputs.csv"], "--items is of --task rating only."),
        (["--gold-share=0.2"], "--gold-share is of --task rating only."),
        (["--unmarked"], "is of --task rating only."),
        (["--overlap=0"], "Overlap is a whole number from 1 to 100."),
        (["--time-limit=soon"], "“soon” is not a duration."),
        (["--time-limit=5s"], "The time limit is from 30 seconds to 365 days."),
        (["--lifetime=400d"], "The lifetime is from 30 seconds to 365 days."),
        (["--limit=0"], "The limit is from 1 to 1,000,000 stories."),
        ([f"--limit={10**20}"], "The limit is from 1 to 1,000,000 stories."),
        (["--per-worker=0"], "A worker does from 1 to 1,000,000 tasks."),
        ([f"--per-worker={10**11}"], "A worker does from 1 to 1,000,000 tasks."),
        (["--apart-from=9"], "has no round 9."),
        (["--eligibility=proficient"], "No worker of this study is proficient yet."),
    ],
)
def test_what_cannot_be_launched_is_said_and_nothing_is_made(
    study: Study, options: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence.replace("(", r"\(")):
        launch(*options)

    assert not Round.objects.exists()
    assert not Job.objects.exists()


def test_an_unknown_study_is_named_with_those_there_are(study: Study) -> None:
    with pytest.raises(CommandError, match="There is no study “habour”. Known: harbour."):
        call_command("change_round", "habour", "1", "pause")


def test_a_study_without_stories_cannot_be_launched() -> None:
    make.make_study(slug="harbour")

    with pytest.raises(CommandError, match="This study has no stories. Import some first."):
        launch()


def test_limits_on_workers_are_said_at_the_launch(study: Study, marketplace: Marketplace) -> None:
    launch()
    launch("--apart-from=1")
    launch("--per-worker=20", "--apart-from=1", "--apart-from=2")

    one, two, three = Round.objects.order_by("number")
    assert (one.worker_cap, three.worker_cap) == (None, 20)
    assert set(three.apart_from.all()) == {one, two}
    assert set(one.apart_from.all()) == {two, three}


def test_a_round_for_proficient_workers_asks_for_the_studys_qualification(
    study: Study, marketplace: Marketplace
) -> None:
    launch()
    able = make.make_participant(Round.objects.get())
    grant_qualification(participants=[able])

    launch("--eligibility=proficient")

    study.refresh_from_db()
    asked = marketplace.hit_types[-1].requirements
    assert {
        "QualificationTypeId": study.qualification_type_id,
        "Comparator": "Exists",
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    } in asked


def test_what_a_worker_reads_on_the_list_names_the_study_and_the_round(
    study: Study, marketplace: Marketplace
) -> None:
    launch()

    (hit_type,) = marketplace.hit_types
    assert hit_type.description.startswith("For the study “A study”, round 1. Read a story")


def test_stage_one_asks_for_record_rate_and_country(study: Study, marketplace: Marketplace) -> None:
    launch("--eligibility=stage1")

    asked = {
        (r["QualificationTypeId"], r["Comparator"]): r
        for r in marketplace.hit_types[0].requirements
    }
    approved = asked[APPROVED_HITS, "GreaterThanOrEqualTo"]
    assert approved["IntegerValues"] == [5000]
    assert asked[APPROVAL_RATE, "GreaterThanOrEqualTo"]["IntegerValues"] == [98]
    assert asked[LOCALE, "In"]["LocaleValues"] == [{"Country": "US"}, {"Country": "CA"}]
    assert asked["Q" * 30, "DoesNotExist"]["ActionsGuarded"] == "DiscoverPreviewAndAccept"


def test_an_interrupted_launch_goes_on_where_it_stopped(
    study: Study, marketplace: Marketplace
) -> None:
    marketplace.fail_after = 7
    with pytest.raises(CommandError, match="does not answer"):
        launch()
    assert Round.objects.get().state == RoundState.PUBLISHING
    assert Job.objects.get().state == JobState.QUEUED
    marketplace.fail_after = None
    Job.objects.update(lease_until=None)

    from studies import jobs

    jobs.run(Job.objects.get().pk)

    assert Round.objects.get().state == RoundState.OPEN
    assert len(marketplace.hits) == 15
    assert Slot.objects.filter(hit_id="").count() == 0


def test_a_launch_that_waited_longer_than_the_marketplace_remembers_publishes_nothing_twice(
    study: Study, marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_an_answer(*, key: str, **more: Any) -> str:
        marketplace.hits[key] = make.new_hit_id()
        raise mturk.MarketplaceUnavailable("The answer was lost.")

    def forget_the_token(*, key: str, **more: Any) -> str:
        assert key not in marketplace.hits, "a second HIT for one slot"
        marketplace.hits[key] = make.new_hit_id()
        return marketplace.hits[key]

    monkeypatch.setattr(mturk, "create_hit", lose_an_answer)
    with pytest.raises(CommandError, match="was lost"):
        launch()
    monkeypatch.setattr(mturk, "create_hit", forget_the_token)
    Job.objects.update(lease_until=None)

    from studies import jobs

    finished = jobs.run(Job.objects.get().pk)

    assert finished is not None and finished.state == JobState.DONE
    assert set(Slot.objects.values_list("hit_id", flat=True)) == set(marketplace.hits.values())


@pytest.mark.parametrize("change", ["pause", "close"])
def test_what_a_broken_launch_left_published_is_hidden_with_the_rest(
    study: Study, marketplace: Marketplace, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    marketplace.fail_after = 7
    with pytest.raises(CommandError):
        launch()
    # The process died before it noted the last one.
    Slot.objects.filter(pk=Slot.objects.exclude(hit_id="").latest("pk").pk).update(hit_id="")
    Job.objects.all().delete()

    call_command("change_round", "harbour", "1", change, stdout=StringIO())

    assert set(marketplace.expirations) == set(marketplace.hits.values())


def test_pause_hides_every_open_slot_once_and_resume_brings_it_back(
    study: Study, marketplace: Marketplace
) -> None:
    launch()

    call_command("change_round", "harbour", "1", "pause", stdout=StringIO())
    assert Slot.objects.filter(shown=False).count() == 15
    call_command("change_round", "harbour", "1", "resume", stdout=StringIO())

    assert Slot.objects.filter(shown=True).count() == 15
    assert set(marketplace.expirations.values()) == {2}


def test_extending_adds_workers_and_stories(study: Study, marketplace: Marketplace) -> None:
    launch("--limit=2")

    call_command(
        "change_round", "harbour", "1", "extend", "--overlap=1", "--stories=1", stdout=StringIO()
    )

    assert list(Task.objects.values_list("overlap", flat=True)) == [4, 4, 4]
    assert len(marketplace.hits) == 12


def test_more_than_a_round_can_have_is_refused_in_words(
    study: Study, marketplace: Marketplace
) -> None:
    launch("--limit=2")

    for option, words in [
        ("--overlap=98", "at most 100 workers"),
        (f"--overlap={10**20}", "at most 100 workers"),
        ("--stories=4", "Only 3 stories"),
        (f"--stories={10**20}", "at most 1,000,000 slots"),
    ]:
        with pytest.raises(CommandError, match=words):
            call_command("change_round", "harbour", "1", "extend", option, stdout=StringIO())
    assert Task.objects.count() == 2


def test_a_closed_round_stays_closed(study: Study, marketplace: Marketplace) -> None:
    launch()
    call_command("change_round", "harbour", "1", "close", stdout=StringIO())

    for change in (["pause"], ["resume"], ["close"], ["extend", "--stories=1"]):
        with pytest.raises(CommandError, match="closed"):
            call_command("change_round", "harbour", "1", *change, stdout=StringIO())
    assert Round.objects.get().state == RoundState.CLOSED


def test_the_same_seed_breaks_ties_in_the_same_way(study: Study) -> None:
    plan = Plan(
        study=study,
        task_type=task_types.get("state_annotation"),
        overlap=1,
        reward_usd=Decimal("0.10"),
        seed=42,
        eligibility=Eligibility.OPEN,
    )

    one, _ = rounds.launch_round(plan=plan)
    two, _ = rounds.launch_round(plan=plan)

    drawn = [list(r.tasks.values_list("tie_break", flat=True)) for r in (one, two)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 1
    assert (one.number, two.number) == (1, 2)


def test_a_past_round_cannot_be_changed(study: Study) -> None:
    round = make.make_round(study)
    Round.objects.update(past=True)

    with pytest.raises(RoundRefused):
        rounds.pause_round(round=round)
