"""A release holds the accepted rows, each story in one split, for good."""

import json
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from annotation.models import Release, ReleaseRow, StorySplit
from annotation.releases import building
from annotation.releases.building import NameTaken, ReleaseRefused
from annotation.releases.verifying import verify_release
from annotation.releases.withdrawal import withdraw_participant
from studies.models import Contribution, ContributionStatus, ResponseState, Study
from studies.services.response_layout import OWN
from tests.annotation.releases.world import bring, build, contribute, past_rows
from tests.studies.factories import make_round, make_stories, make_study

pytestmark = pytest.mark.django_db


def filled(stories: int = 60, each: int = 3) -> Study:
    study = make_study()
    bring(study, past_rows(stories, each))
    return study


def splits_by_story(release: Release) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    story = "contribution__response__assignment__task__story__external_id"
    for name, split in release.rows.values_list(story, "split"):
        found[name].add(split)
    return found


def command(name: str, *arguments: object) -> Any:
    out = StringIO()
    call_command(name, *map(str, arguments), "--format", "json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def test_it_holds_exactly_the_accepted_rows_in_the_order_in_which_they_came() -> None:
    study = make_study()
    real, pilot = make_round(study, stories=8), make_round(study, pilot=True)
    accepted = [contribute(real) for _ in range(3)]
    for status in set(ContributionStatus) - {ContributionStatus.ACCEPTED}:
        contribute(real, status=status)
    contribute(real, state=ResponseState.UNCONFIRMED)
    contribute(pilot)
    contribute(make_round())

    release = build(study)

    held = release.rows.order_by("position").values_list("contribution_id", flat=True)
    assert list(held) == [one.pk for one in accepted]


def test_no_story_is_in_two_splits_and_the_shares_are_met() -> None:
    release = build(filled(200))

    assert all(len(splits) == 1 for splits in splits_by_story(release).values())
    shares = {name: one["tuples"] / 600 for name, one in release.statistics["splits"].items()}
    assert shares == pytest.approx({"train": 0.8, "validation": 0.12, "test": 0.08}, abs=0.01)


def test_later_rows_move_no_story() -> None:
    study = filled(80)
    before = splits_by_story(build(study))
    bring(study, [*past_rows(80, each=5, first=80), *_more_of(80)])

    after = build(study, "v2", seed=8)

    now = splits_by_story(after)
    assert {name: now[name] for name in before} == before
    assert after.rows.count() == 80 * 3 + 80 * 5 + 80
    assert StorySplit.objects.filter(study=study).count() == 160
    assert after.statistics["splits"]["test"]["tuples"] == pytest.approx(0.08 * 720, abs=7.2)


def _more_of(stories: int) -> list[dict[str, Any]]:
    return [
        row | {"AssignmentId": f"{row['AssignmentId']}-more"} for row in past_rows(stories, each=1)
    ]


def test_the_same_rows_and_seed_give_the_same_release_under_another_name() -> None:
    study = filled()

    first, second = build(study, "v1"), build(study, "v2")

    assert (first.sha256, first.salt) == (second.sha256, second.salt)
    assert first.statistics == second.statistics
    assert build(study, "v3", seed=8).salt != first.salt


def test_a_new_row_makes_new_pseudonyms() -> None:
    study = make_study()
    round = make_round(study, stories=4)
    contribute(round)
    first = build(study, "v1")
    contribute(round)

    assert build(study, "v2").salt != first.salt


def test_neither_a_release_nor_its_rows_can_be_changed() -> None:
    release = build(filled(5))

    for change in (
        lambda: Release.objects.update(name="v9"),
        lambda: ReleaseRow.objects.filter(release=release).update(split=""),
        lambda: ReleaseRow.objects.filter(release=release).delete(),
        lambda: Release.objects.filter(pk=release.pk).delete(),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()


def test_a_changed_text_is_found_out() -> None:
    release = build(filled(5))
    assert verify_release(release=release).ok
    assert command("export_release", release.study.slug, "v1", "--verify")["ok"] is True
    one = Contribution.objects.latest("pk")
    Contribution.objects.filter(pk=one.pk).update(content=one.content | {"assertion": "No."})

    assert not verify_release(release=release).ok
    with pytest.raises(CommandError, match="not what they were"):
        command("export_release", release.study.slug, "v1", "--verify")


def test_a_name_is_given_once_and_nothing_makes_no_release() -> None:
    study = filled(2)
    build(study)

    with pytest.raises(NameTaken):
        build(study)
    with pytest.raises(ReleaseRefused, match="No response"):
        build(make_study())
    assert Release.objects.count() == 1


def test_stories_of_another_length_ask_for_the_other_layout() -> None:
    study = make_study()
    make_stories(study, 3, ["It rained.", "Ana sang.", "It was late.", "Ana slept."])
    round = make_round(study)
    answers = {
        "assertion": "Ana is glad.",
        "justification": [2],
        "changed_assertion": "Ana is sad.",
        "revision": ["It rained.", "Ana wept.", "It was late.", "Ana slept."],
    }
    contribute(round, answers=answers)

    with pytest.raises(ReleaseRefused, match="Choose the layout jsonl"):
        build(study)

    assert build(study, layout=OWN).rows.count() == 1


def test_the_command_says_what_it_built() -> None:
    study = filled(50)

    told = command("build_release", study.slug, "--name", "v1", "--seed", "3")

    release = Release.objects.get()
    assert (told["name"], told["seed"], told["sha256"]) == ("v1", 3, release.sha256)
    assert told["rule"]["ratios"] == {"train": "0.8", "validation": "0.12", "test": "0.08"}
    assert sum(one["rows"] for one in told["splits"].values()) == 150
    assert command("build_release", study.slug, "--name", "v2")["seed"] == 3


@pytest.mark.parametrize(
    "wrong",
    [
        ["--name", "two words"],
        ["--name", "v1", "--ratios", ".5,.5"],
        ["--name", "v1", "--seed", "-1"],
        ["--name", "v1", "--seed", str(2**63)],
    ],
)
def test_what_cannot_be_is_refused_in_words(wrong: list[str]) -> None:
    with pytest.raises(CommandError):
        command("build_release", filled(1).slug, *wrong)

    assert not Release.objects.exists()


def published_study(shared_data: Path) -> Study:
    study = make_study()
    for name in ("val_data.jsonl", "te_data.jsonl"):
        file = str(shared_data / "pasta" / name)
        call_command("import_responses", study.slug, file, stdout=StringIO())
    return study


@pytest.mark.shared_data
def test_the_published_files_keep_their_figures_and_five_hundred_rows_more_move_no_story(
    shared_data: Path,
) -> None:
    study = published_study(shared_data)
    first = build(study)
    found = command("dataset_stats", study.slug, "--release", "v1")
    assert found["tuples"] == 2267 and found["stories"] == 1061
    assert found["state_overlap_pct"] == pytest.approx(72.15, abs=0.01)
    assert found["story_overlap_pct"] == pytest.approx(90.61, abs=0.01)
    assert found["revised_justification_pct"] == pytest.approx(90.5183, abs=0.0001)
    before = splits_by_story(first)
    assert len(before) == 1061 and all(len(splits) == 1 for splits in before.values())
    shares = {name: one["tuples"] / 2267 for name, one in first.statistics["splits"].items()}
    assert shares == pytest.approx({"train": 0.8, "validation": 0.12, "test": 0.08}, abs=0.01)
    published = (shared_data / "pasta" / "te_data.jsonl").read_text().splitlines()[:250]
    again = [json.loads(line) for line in published]
    bring(study, [row | {"AssignmentId": f"{row['AssignmentId']}-2"} for row in again])
    bring(study, past_rows(50, each=5))

    second = build(study, "v2", seed=8)

    after = splits_by_story(second)
    assert second.rows.count() == 2767
    assert {story: after[story] for story in before} == before
    assert all(len(splits) == 1 for splits in after.values())


def test_what_changes_while_the_rows_are_read_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another release places the stories otherwise meanwhile, and a worker withdraws."""
    study = filled(40)
    round = make_round(study, stories=2)
    leaving = contribute(round)
    read = building._draft
    meanwhile: list[Release] = []

    def read_slowly(*args: Any) -> Any:
        drafted = read(*args)
        if not meanwhile:
            meanwhile.append(Release())
            participant = leaving.response.assignment.participant
            assert participant is not None
            withdraw_participant(participant=participant)
            meanwhile[0] = build(study, "first", seed=99)
        return drafted

    monkeypatch.setattr(building, "_draft", read_slowly)

    release = build(study, "second", seed=1)

    assert not release.rows.filter(contribution=leaving).exists()
    assert splits_by_story(release) == splits_by_story(meanwhile[0])
    assert verify_release(release=release).ok
