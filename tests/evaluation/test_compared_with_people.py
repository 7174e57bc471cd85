"""Outputs beside what people wrote: on the pages of reports, from the rows of a release."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Item, Rating, TextScore
from evaluation.rating.sources.runs import outputs_of_runs
from evaluation.services.instruments import find_instrument
from modeling.instances.instance import instance
from modeling.metrics.texts import BERTSCORE
from modeling.tasks.story_revision import REVISION
from modeling.tasks.task import Scored
from studies import jobs
from studies.models import Participant, Round, Study, Worker
from tests.annotation.releases.world import bring, build
from tests.evaluation.rated import make_item, together
from tests.evaluation.rating_rounds import launched
from tests.evaluation.test_runs_reports import generate, make_run
from tests.studies.factories import make_study
from tests.studies.members import make_member
from tests.studies.published import lines, published_row

pytestmark = pytest.mark.django_db
STORY = [f"Nora walked {n} miles." for n in range(1, 6)]
REVISED = [*STORY[:4], "Nora gave up after 5 miles."]
OTHER = [*STORY[:4], "Nora flew home."]
VALID, INVALID = (4, 4, 3), (0, 1, 0)


@pytest.fixture
def study() -> Study:
    """Four tuples in a release; the good system wrote three of them as people did."""
    study = make_study(slug="evenings")
    bring(study, [published_row(f"A{n}", f"s{n}") for n in range(4)])
    build(study)
    for system, outputs in (("good", [REVISED] * 3 + [OTHER]), ("bad", [OTHER] * 2)):
        for n, revision in enumerate(outputs):
            likely = VALID if revision == REVISED else INVALID
            make_item(
                study,
                "story-revision",
                *together(inferable=likely, logical=(1, 1, 1), degree=(0, 0, 0)),
                system=system,
                group=f"A{n}",
                fields={"story": STORY, "state": "Nora is not fit.", "revision": revision},
            )
    return study


@pytest.fixture
def client(study: Study) -> Client:
    client = Client()
    client.force_login(make_member(study))
    return client


def page(name: str, *args: Any) -> str:
    return reverse(f"admin:evaluation_{name}", args=args)


def report(*given: str) -> str:
    out = io.StringIO()
    call_command("report", *given, "--study", "evenings", stdout=out)
    return out.getvalue()


def values_of(*given: str) -> dict[tuple[str, str], float]:
    rows = json.loads(report("automatic", *given, "--format", "json"))
    return {(row["system"], row["metric"]): row["value"] for row in rows}


def test_outputs_are_compared_with_the_newest_release(study: Study) -> None:
    found = values_of()

    assert found["good", "exact"] == 75
    assert found["bad", "exact"] == 0
    assert found["bad", "gleu"] < found["good", "gleu"] < 100
    assert found["bad", "rougeL"] < found["good", "rougeL"] < 100


def test_absent_outputs_count_as_the_story_as_it_was(study: Study) -> None:
    """The system that is bad has two outputs, the other one four."""
    whole = values_of("--expected-items", "4", "--system", "bad")

    make_item(
        study,
        "story-revision",
        *together(inferable=INVALID, logical=(1, 1, 1), degree=(0, 0, 0)),
        system="lazy",
        group="A0",
        fields={"story": STORY, "revision": STORY},
    )
    bad, lazy = values_of("--system", "bad"), values_of("--system", "lazy")
    mean = (bad["bad", "rougeL"] + lazy["lazy", "rougeL"]) / 2
    assert whole["bad", "rougeL"] == pytest.approx(mean)


def test_a_named_release_or_file_is_taken_instead(study: Study, tmp_path: Path) -> None:
    rows = [published_row(f"A{n}", f"s{n}", **{"Answer.mod_line5": OTHER[4]}) for n in range(4)]
    file = tmp_path / "people.jsonl"
    file.write_bytes(lines(*rows))

    assert values_of("--references", str(file))["bad", "exact"] == 100
    assert values_of("--release", "v1")["bad", "exact"] == 0
    with pytest.raises(CommandError, match="no release “v9”.*Known: v1"):
        values_of("--release", "v9")
    with pytest.raises(CommandError, match="cannot be read"):
        values_of("--references", str(tmp_path / "none.jsonl"))


def test_an_output_about_the_revision_is_compared_with_the_story(study: Study) -> None:
    """Of the two instances of a tuple the second one goes back."""
    make_item(
        study,
        "story-revision",
        *together(inferable=VALID, logical=(1, 1, 1), degree=(0, 0, 0)),
        system="back",
        group="A0",
        fields={"story": REVISED, "state": "Nora is fit.", "revision": STORY},
    )

    assert values_of("--system", "back")["back", "exact"] == 100


def test_states_are_compared_each_with_its_own(study: Study) -> None:
    for part, state in (("state", "Nora is fit, says A0."), ("mod_state", "Nora is tired.")):
        make_item(
            study,
            "state-change",
            *together(
                attribute=(1, 1, 1),
                in_story=(0, 0, 0),
                inferable_s=(4, 4, 4),
                inferable_s_prime=(0, 0, 0),
            ),
            system="good",
            group="A0",
            part=part,
            fields={"story": STORY, "revision": REVISED, "state": state},
        )

    assert values_of("--instrument", "state-change")["good", "exact"] == 50
    with pytest.raises(CommandError, match="several instruments"):
        values_of()


def test_a_page_has_outputs_scored_once_by_a_job_and_never_scores_itself(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studies.tasks.wake", lambda job: job)
    address, score = (page(name, study.pk, "automatic") for name in ("report", "report_score"))

    before = client.get(address)
    asked = client.post(f"{score}?release=v1")
    twice = client.post(f"{score}?release=v1")
    meanwhile = client.get(f"{address}?release=v1")
    job = study.jobs.get()
    finished = jobs.run(job.pk)

    # Good and bad wrote two different texts beside the same one.
    assert "2 outputs are not scored yet." in before.text and "Score them" in before.text
    shown = reverse("admin:studies_job_change", args=[job.pk])
    assert asked["Location"] == twice["Location"] == shown
    assert f'href="{shown}"' in meanwhile.text and "Score them" not in meanwhile.text
    assert finished is not None and finished.result["said"] == "2 outputs were scored."
    assert finished.result["next"]["address"] == f"{address}?release=v1"
    monkeypatch.setattr("evaluation.services.text_scores.text_scores", None)
    assert "75.00" in client.get(address).text
    again = client.post(score, follow=True)
    assert "scored already" in again.text and study.jobs.count() == 1


def test_pages_show_numbers_with_intervals_and_lead_to_the_outputs(
    client: Client, study: Study
) -> None:
    values_of()
    assert (
        page("report", study.pk, "automatic")
        in client.get(page("reports", study.pk)).content.decode()
    )

    shown = client.get(page("report", study.pk, "automatic"), {"release": "v1"})
    html = shown.content.decode()
    behind = client.get(
        page("report_behind", study.pk, "automatic"),
        {"cell_system": "good", "cell_metric": "exact"},
    )

    assert shown.status_code == 200
    assert "75.00" in html and 'class="st-hint ev-interval"' in html
    assert "manage.py report automatic --study evenings --release v1" in html
    assert behind.content.decode().count("100.00") == 3


def test_the_page_of_correlations(client: Client, study: Study) -> None:
    """What is exact is valid here, and nothing else is."""
    values_of()
    html = client.get(page("report", study.pk, "correlation")).content.decode()
    taken = client.get(page("report_file", study.pk, "correlation"), {"format": "csv"})

    assert "Pearson’s r" in html and "Spearman’s ρ" in html
    rows = list(csv.DictReader(io.StringIO(taken.content.decode())))
    exact = [row for row in rows if row["metric"] == "exact"]
    assert [row["coefficient"] for row in exact] == ["pearson", "spearman"]
    assert [float(row["value"]) for row in exact] == [pytest.approx(1), pytest.approx(1)]
    assert {row["n"] for row in rows} == {"6"}


def test_a_page_without_a_release_says_what_to_do(client: Client, study: Study) -> None:
    other = make_study(slug="mornings")
    make_item(other, "story-revision", *together(inferable=(4,), logical=(1,), degree=(0,)))
    client.force_login(make_member(other, name="ada"))

    answer = client.get(page("report", other.pk, "automatic"))

    assert answer.status_code == 422
    assert "this study has no release" in answer.content.decode()


# --- Outputs of runs know themselves what people wrote ------------------------------------------
def rate_everything(round: Round) -> None:
    worker = Worker.objects.create(marketplace_id="R")
    rater = Participant.objects.create(study=round.study, worker=worker)
    for item in Item.objects.filter(task__round=round):
        given = {q.slug: q.codes[0] for q in item.instrument.declared.questions}
        now = timezone.now()
        Rating.objects.create(item=item, rater=rater, answers=given, submitted_at=now)


@pytest.mark.parametrize(
    ("task", "fields", "target", "outputs", "exact"),
    [
        (
            "story-revision",
            {"story": ["A b.", "C d."], "state": "Kit is glad."},
            "<extra_id_2>: C was glad.",
            ["<extra_id_2> : C was glad.", "<extra_id_1>: A c."],
            50,
        ),
        (
            "state-change",
            {"story": ["A b."], "revision": ["A c."]},
            "state1: Kit is sad. state2: Kit is glad.",
            ["state1: Kit is sad. state2: Kit is mad.", "state1: Kit is mad. state2: Kit is glad."],
            50,
        ),
    ],
)
def test_outputs_of_runs_are_compared_with_their_targets(
    task: str, fields: dict[str, Any], target: str, outputs: list[str], exact: float
) -> None:
    study = make_study(slug="evenings")
    run = make_run(study, task, name="small")
    for n, output in enumerate(outputs):
        key = f"t{n}"
        generate(run, instance(key, "forward", "", target, fields), output)
    declared = find_instrument(task).declared
    rate_everything(
        launched(study, task, outputs_of_runs([run], declared=declared, with_people=True))
    )

    found = values_of()

    assert (found["small", "exact"], found["people", "exact"]) == (exact, 100)
    # What a run's own outputs score stands with them; people's were worked out.
    assert TextScore.objects.count() == (1 if task == "story-revision" else 2)


def test_a_metric_that_runs_worked_out_stands_where_all_outputs_have_it() -> None:
    study = make_study(slug="evenings")
    run = make_run(study, "story-revision", name="small")
    fields = {"story": ["A b.", "C d."], "state": "Kit is glad."}
    for n in range(2):
        whole = instance(f"t{n}", "forward", "", "<extra_id_2>: C was glad.", fields)
        generate(run, whole, "<extra_id_1>: A c.")
    declared = find_instrument("story-revision").declared
    rate_everything(
        launched(study, run.task, outputs_of_runs([run], declared=declared, with_people=True))
    )
    for generation, value in zip(run.generations.order_by("pk"), (0.9, 0.7), strict=True):
        scored = Scored.from_dict(generation.score).having(BERTSCORE, {REVISION: value})
        run.generations.filter(pk=generation.pk).update(score=scored.as_dict())

    found = values_of()
    run.generations.filter(pk=generation.pk).update(score=generation.score)
    of_one_alone = values_of()

    assert found["small", BERTSCORE] == pytest.approx(80)
    assert ("people", BERTSCORE) not in found
    assert ("small", BERTSCORE) not in of_one_alone
    assert of_one_alone["small", "gleu"] == found["small", "gleu"]
