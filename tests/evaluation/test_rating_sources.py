"""What is to be rated: from a file, a release, runs; sampled, and mixed with gold items."""

import io
import json
from collections import Counter
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.models import Item, RatingRound
from evaluation.rating.outputs import BadItems
from evaluation.rating.sources.file import outputs_of_file
from evaluation.services.instruments import find_instrument
from modeling.models import Generation, Run
from modeling.models.run import RunState
from studies.models import Participant, Round, Study
from tests.annotation.releases.world import build, contribute
from tests.evaluation.rating_rounds import Row, launched, open_page, planned, read
from tests.evaluation.test_rating_round import endings, inference
from tests.studies import factories as make
from tests.studies.test_launch_round import Marketplace, marketplace

__all__ = ["marketplace"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make.make_study()


def keys(round: Round) -> list[tuple[str, str]]:
    return list(Item.objects.filter(task__round=round).order_by("pk").values_list("system", "key"))


def test_a_table_says_the_same_as_lines_of_json(study: Study) -> None:
    rows = [inference(name, group="g", gold={"inferable": 1}) for name in "ab"]
    cells = [["system", "id", "group", "story", "state", "gold.inferable"]] + [
        [row["system"], row["id"], "g", "\n".join(row["story"]), row["state"], "1"] for row in rows
    ]
    table = "\n".join(",".join(f'"{cell}"' for cell in line) for line in cells)
    declared = find_instrument("state-inference").declared

    found = outputs_of_file(
        io.BytesIO(table.encode()), name="a.csv", study=study, declared=declared
    )

    assert found.outputs == read(study, "state-inference", rows).outputs


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "Row 2, column 2: This is not JSON from here on"),
        ("[]", "Row 2: This line is a list"),
        ({"system": ""}, "Row 2, column system: This is missing."),
        ({"id": None}, "Row 2, column id: This has to be a text."),
        ({"system": "s" * 101}, "Row 2, column system: This has more than 100 characters."),
        ({"id": "input-a"}, "Row 2, column id: The system “zeta-13b” has an output for this in"),
        ({"state": " "}, "Row 2, column state: This has to be a text."),
        ({"state": ""}, "Row 2, column state: The instrument shows this field, and it is empty."),
        ({"story": 7}, "Row 2, column story: This has to be a list of sentences."),
        ({"story": ["A.", 7]}, "Row 2, column story: This has to be a text."),
        ({"marked": [3]}, "Row 2, column marked: This has to be a list of numbers of sentences"),
        ({"ending": "x"}, "Row 2, column ending: State inference shows no such field."),
        ({"gold": {"inferable": 4}}, "Row 2, column gold.inferable: “4” is no right answer"),
        ({"gold": {"sound": 1}}, "Row 2, column gold.sound: State inference has no question"),
        ({"author": "w-none"}, "Row 2, column author: This study has no worker of this pseudonym."),
        ({"state": "a\0b"}, "Row 2: A NUL character stands here."),
    ],
)
def test_what_is_wrong_with_a_line_is_named_and_nothing_is_stored(
    study: Study, line: Any, told: str
) -> None:
    second = line if isinstance(line, str) else json.dumps(inference("b", **line))
    text = json.dumps(inference()) + "\n" + second + "\n" + json.dumps(inference("c")) + "\n"
    declared = find_instrument("state-inference").declared

    with pytest.raises(BadItems) as refused:
        outputs_of_file(io.BytesIO(text.encode()), name="a.jsonl", study=study, declared=declared)

    assert str(refused.value).startswith(f"a.jsonl: {told}")
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "There are no outputs in this file."),
        (b'{"system": "\xff"}\n', "Row 1: "),
        (b"system,id,system\n", "There is more than one column of this name."),
        (b'system,id,story,state\na,b,"[1",c\n', "This is no JSON"),
        (b'system,id,story,state\na,b,"' + b"[" * 900 + b"]" * 900 + b'",c\n', "nested too deeply"),
        (b'system,id,story,state\na,b,"[""\\u0000""]",c\n', "NUL"),
        (b"system,id,story,state,gold.inferable\na,b,c,d,1e400\n", "too large"),
    ],
)
def test_a_file_that_is_no_list_of_outputs_is_refused(
    study: Study, content: bytes, told: str
) -> None:
    declared = find_instrument("state-inference").declared
    with pytest.raises(BadItems, match="^a.csv: ") as refused:
        outputs_of_file(io.BytesIO(content), name="a.csv", study=study, declared=declared)
    assert told in str(refused.value)


def test_pairs_show_the_same_or_are_refused(study: Study) -> None:
    rows = endings(2, ("a", "b", "c"))
    plan = planned(study, "pairwise", read(study, "pairwise", rows))
    assert (len(plan.bundles), plan.items) == (2, 6)

    rows[0]["premise"] = "Another one."
    with pytest.raises(BadItems, match="“a” and “b” show different things for “input-0”"):
        planned(study, "pairwise", read(study, "pairwise", rows))
    with pytest.raises(BadItems, match="No two systems"):
        planned(study, "pairwise", read(study, "pairwise", rows[:1]))


def test_the_seed_draws_the_sample_and_all_of_a_source_comes_with_it(study: Study) -> None:
    rows = [
        inference(f"{story}-{n}", group=f"s{story}", system=system)
        for story in range(12)
        for n in range(2)
        for system in "pq"
    ]
    rounds = [launched(study, "state-inference", rows, sample=5, seed=seed) for seed in (3, 3, 4)]

    first, again, other = map(keys, rounds)
    assert first == again
    assert first != other
    assert len({key.split("-")[1] for _system, key in first}) == 5
    assert len(first) == 5 * 2 * 2
    payloads = [[task.payload for task in one.tasks.order_by("position")] for one in rounds]
    assert payloads[0] == payloads[1]
    with pytest.raises(BadItems, match="There are 12 sources, fewer than the sample of 13"):
        planned(study, "state-inference", read(study, "state-inference", rows), sample=13)


def test_gold_items_look_like_the_others_and_stand_in_no_report(study: Study) -> None:
    rows = [inference(str(n)) for n in range(20)]
    golden = read(
        study,
        "state-inference",
        [inference(f"gold {n}", gold={"inferable": n % 2}) for n in range(3)],
        gold=True,
    )
    round = launched(study, "state-inference", rows, gold=golden, gold_share=Decimal("0.2"))

    items = Item.objects.filter(task__round=round)
    assert Counter(items.values_list("is_gold", flat=True)) == {False: 20, True: 4}
    shapes = {
        (len(task.payload["items"]), *sorted(task.payload["items"][0]))
        for task in round.tasks.all()
    }
    assert shapes == {(1, "fields", "key")}
    positions = items.filter(is_gold=True).values_list("task__position", flat=True)
    assert sorted(positions) != [21, 22, 23, 24]
    with pytest.raises(BadItems, match="gold"):
        read(study, "state-inference", rows, gold=True)


def test_a_release_gives_four_instances_of_each_tuple_and_keeps_authors_away(
    study: Study,
) -> None:
    make.make_stories(study, 4)
    written = make.make_round(study)
    author = make.make_participant(written, "AUTHOR")
    contribute(written, participant=author)
    contribute(written)
    release = build(study, layout="jsonl")
    from evaluation.rating.sources.release import outputs_of_release

    declared = find_instrument("state-inference").declared
    outputs = outputs_of_release(release, declared=declared, input="marked")
    round = launched(study, "state-inference", outputs, sample=2, same_raters=True)

    items = Item.objects.filter(task__round=round)
    assert Counter(items.values_list("part", flat=True)) == dict.fromkeys(
        ("story_state", "story_mod_state", "mod_story_state", "mod_story_mod_state"), 2
    )
    assert {one.part: one.gold["inferable"] for one in items} == {
        "story_state": 1,
        "story_mod_state": 0,
        "mod_story_state": 0,
        "mod_story_mod_state": 1,
    }
    assert all(one.fields["marked"] for one in items)
    assert round.rating_round.release == release
    page = open_page(round, "AUTHOR")
    assert page.status_code == 200
    [bar] = [task.bars.get() for task in round.tasks.all() if task.bars.filter(participant=author)]
    assert not bar.task.assignments.exists()
    unmarked = outputs_of_release(release, declared=declared, input="story")
    assert not any("marked" in one.fields for one in unmarked.outputs)
    with pytest.raises(BadItems, match="with the instrument “state-inference”"):
        outputs_of_release(release, declared=find_instrument("pairwise").declared)


def make_run(study: Study, outputs: list[str], **fields: Any) -> Run:
    run = Run.objects.create(
        **{
            "study": study,
            "files": {"test": "x"},
            "task": "story-revision",
            "method": "copy",
            "seed": 1,
            "queue": "gpu",
            "state": RunState.DONE,
            "finished_at": "2026-01-01T00:00Z",
        }
        | fields
    )
    Generation.objects.bulk_create(
        Generation(
            run=run,
            instance_key=f"t{n}:forward",
            tuple_key=f"t{n}",
            part="forward",
            input_sha256="0" * 64,
            fields={"story": ["A b.", "C d."], "state": "Kit is glad."},
            output=output,
            target="<extra_id_2>: C was glad.",
            score={},
        )
        for n, output in enumerate(outputs)
    )
    return run


def test_outputs_of_runs_stand_beside_what_people_wrote(study: Study) -> None:
    from evaluation.rating.sources.runs import outputs_of_runs

    runs = [
        make_run(study, ["<extra_id_1>: A c.", "<extra_id_2>: C e."], name="small"),
        make_run(study, ["<extra_id_2>: C x.", "nothing"], name="large"),
    ]
    declared = find_instrument("story-revision").declared
    found = outputs_of_runs(runs, declared=declared, with_people=True)
    round = launched(study, "story-revision", found)

    assert Counter(system for system, _key in keys(round)) == {"small": 2, "large": 2, "people": 2}
    assert round.tasks.count() == 2
    assert outputs_of_runs([*runs, runs[0]], declared=declared).systems == ["large", "small"]
    item = Item.objects.get(task__round=round, system="small", key="t0:forward")
    assert item.fields["revision"] == ["A c.", "C d."]
    runs[0].state = RunState.FAILED
    with pytest.raises(BadItems, match="Run small is not done"):
        outputs_of_runs(runs, declared=declared)


def test_states_that_cannot_be_read_are_left_out_and_counted(study: Study) -> None:
    from evaluation.rating.sources.runs import outputs_of_runs

    run = make_run(study, ["state1: x. state2: y.", "state1: x. state2:"], task="state-change")
    Generation.objects.update(fields={"story": ["A b."], "revision": ["A c."]})
    found = outputs_of_runs([run], declared=find_instrument("state-change").declared)

    assert [(one.part, one.fields["state"], one.group) for one in found.outputs] == [
        ("state", "x.", "t0:forward"),
        ("mod_state", "y.", "t0:forward"),
        ("state", "x.", "t1:forward"),
    ]
    assert found.left_out == 1


def launch(study: Study, *options: str, **more: Any) -> str:
    out = StringIO()
    asked = ["--task=rating", "--overlap=3", "--reward=0.10", *options]
    call_command("launch_round", study.slug, *asked, stdout=out, stderr=StringIO(), **more)
    return out.getvalue()


def test_the_command_launches_a_round_of_ratings(
    study: Study, marketplace: Marketplace, tmp_path: Path
) -> None:
    file = tmp_path / "outputs.jsonl"
    rows: list[Row] = endings(4)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = [f"--items={file}", "--instrument=pairwise", "--sample=3", "--seed=5"]

    costs = json.loads(launch(study, *options, "--dry-run", "--format=json"))
    assert "systems: omega-7b (3), zeta-13b (3)" in launch(study, *options, "--dry-run")
    assert not Round.objects.exists()
    told = json.loads(launch(study, *options, "--format=json"))

    assert (costs["tasks"], costs["slots"], costs["rewards_usd"]) == (3, 9, "0.90")
    assert told["items"] == 3
    assert told["systems"] == {"omega-7b": 3, "zeta-13b": 3}
    made = RatingRound.objects.get()
    assert (made.sample, made.seed, made.source["name"]) == (3, 5, "outputs.jsonl")
    assert made.round.state == "open"
    assert len(marketplace.hits) == 9


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "Name the instrument"),
        (["--instrument=nope"], "There is no instrument “nope”"),
        (["--instrument=pairwise"], "Say what is to be rated"),
        (["--instrument=pairwise", "--items=gone.jsonl"], "gone.jsonl cannot be read"),
        (["--instrument=pairwise", "--release=v9"], "has no release “v9”"),
        (["--instrument=pairwise", "--run=9"], "has no run “9”"),
        (["--instrument=pairwise", "--limit=3"], "--limit counts stories"),
        (["--instrument=pairwise", "--gold-share=ten"], "“ten” is not a share"),
        (["--instrument=pairwise", "--gold-share=NaN"], "“NaN” is not a share"),
    ],
)
def test_what_cannot_be_rated_is_said_and_nothing_is_made(
    study: Study, options: list[str], told: str
) -> None:
    with pytest.raises(CommandError, match=told):
        launch(study, *options)
    assert not Round.objects.exists()
    assert not Participant.objects.exists()
