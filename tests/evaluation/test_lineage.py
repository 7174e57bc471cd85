"""From a rating back to everything it rests on, and truthfully where that is not known."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import ReleaseRow
from config.tokens import make_token
from evaluation.lineage.chain import CameFrom
from evaluation.lineage.reading import RATINGS, lineage_of_rating
from evaluation.models import Rating
from evaluation.rating.outputs import PEOPLE
from evaluation.rating.sources.release import outputs_of_release
from evaluation.rating.sources.runs import outputs_of_runs
from evaluation.services.instruments import find_instrument
from modeling.models import Generation, Run
from studies.models import Study, StudyRole
from tests.annotation.releases.world import build, contribute
from tests.evaluation.rated import each, make_item, together
from tests.evaluation.rating_rounds import launched, rate
from tests.evaluation.test_rating_round import endings, prefer_zeta
from tests.evaluation.test_rating_sources import make_run
from tests.studies.factories import make_round, make_study
from tests.studies.members import make_member

pytestmark = pytest.mark.django_db
ANSWERS = {"inferable": 4, "logical": 1, "degree": 0}


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


@pytest.fixture
def client(study: Study) -> Client:
    client = Client()
    client.force_login(make_member(study))
    return client


@pytest.fixture
def row(study: Study) -> ReleaseRow:
    """The one row of a release, written by somebody of this study."""
    contribute(make_round(study, stories=1))
    return build(study, layout="jsonl").rows.get()


def rated_run(study: Study, row: ReleaseRow) -> tuple[Run, Rating]:
    """Of a run with one output, beside people's, and the rating of the run's."""
    run = make_run(study, ["<extra_id_2>: C sat."], name="small", files={}, release=row.release)
    run.facts = {"checkpoint_sha256": "sha256:abc"}
    run.configuration, run.seed = {"model": "t5-tiny"}, 4711
    run.save()
    Generation.objects.filter(run=run).update(
        release_row=row,
        checkpoint="step-000000000012",
        score={"shares": {}, "read": {}, "problems": {}},
    )
    declared = find_instrument("story-revision").declared
    outputs = outputs_of_runs([run], declared=declared, with_people=True)
    rate(launched(study, "story-revision", outputs), "R1", lambda _shown: ANSWERS)
    return run, Rating.objects.get(item__system="small")


def page(client: Client, rating: Rating) -> str:
    answer = client.get(reverse("admin:evaluation_rating_change", args=[rating.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def words(html: str) -> str:
    return " ".join(strip_tags(html.split("<main")[1].replace("</", " </")).split())


def test_a_rating_leads_back_to_run_checkpoint_seed_release_row_and_worker(
    client: Client, study: Study, row: ReleaseRow
) -> None:
    run, rating = rated_run(study, row)
    assert rating.response is not None
    assignment = rating.response.assignment
    writer = row.contribution.response.assignment.participant
    assert writer is not None and assignment.slot is not None

    html = page(client, rating)

    named = [
        *("4 · Extremely likely", "2 on the page", rating.rater.pseudonym, assignment.slot.hit_id),
        *(assignment.marketplace_id, "t0:forward", "&lt;extra_id_2&gt;: C sat.", "t5-tiny"),
        *(f"{run.public_id}/checkpoints/step-000000000012", "sha256:abc", "4711"),
        *(row.release.sha256, writer.pseudonym),
    ]
    assert [one for one in named if one not in words(html)] == []
    for name, pk in (
        ("modeling_run", run.pk),
        ("modeling_generation", run.generations.get().pk),
        ("annotation_release", row.release.pk),
        ("studies_participant", writer.pk),
        ("studies_response", row.contribution.response_id),
    ):
        assert f'href="{reverse(f"admin:{name}_change", args=[pk])}"' in html
    assert "not known" not in words(html).lower()


def test_an_item_and_an_output_lead_to_their_ratings(
    client: Client, study: Study, row: ReleaseRow
) -> None:
    run, rating = rated_run(study, row)
    link = f'href="{reverse("admin:evaluation_rating_change", args=[rating.pk])}"'
    output = run.generations.get().pk

    of_item = client.get(reverse("admin:evaluation_item_lineage", args=[rating.item_id]))
    of_output = client.get(reverse("admin:evaluation_generation_lineage", args=[output]))

    for answer in (of_item, of_output):
        html = answer.content.decode()
        assert html.count(link) == 1
        assert "4711" in words(html) and "t0:forward" in words(html)
    html = client.get(reverse("admin:modeling_generation_change", args=[output])).content.decode()
    assert reverse("admin:evaluation_generation_lineage", args=[output]) in html
    html = client.get(reverse("admin:evaluation_item_change", args=[rating.item_id])).text
    assert link in html


def test_what_people_wrote_leads_to_their_row_alone(study: Study, row: ReleaseRow) -> None:
    rated_run(study, row)

    (origin,) = lineage_of_rating(RATINGS.get(item__system=PEOPLE)).origins

    assert (origin.is_people, origin.generation, origin.row) == (True, None, row)


def test_of_a_pair_both_outputs_are_told_and_which_stood_on_the_left(
    client: Client, study: Study
) -> None:
    left: list[str] = []

    def judge(shown: Any) -> dict[str, Any]:
        left.append("zeta-13b" if shown["first"].startswith("By z") else "omega-7b")
        return prefer_zeta(shown)

    rating = rate(launched(study, "pairwise", endings(1)), "R1", judge).ratings.get()

    told = words(page(client, rating))

    assert re.findall(r"On the left (\S+)", told) == left
    assert told.count("came with a file that names its system alone") == 2


def test_a_row_of_a_release_is_found_by_its_label(study: Study, row: ReleaseRow) -> None:
    outputs = outputs_of_release(row.release, declared=find_instrument("state-inference").declared)
    rate(launched(study, "state-inference", outputs), "R1", lambda _shown: {"inferable": 4})

    lineage = lineage_of_rating(RATINGS.get())

    assert lineage.came_from is CameFrom.RELEASE
    assert [one.row for one in lineage.origins] == [row]


def test_of_a_rating_made_elsewhere_the_rest_is_said_to_be_not_known(
    client: Client, study: Study
) -> None:
    item = make_item(study, "state-inference", *each("inferable", 3))

    told = words(page(client, item.ratings.get()))

    assert "Likely" in told and "not made in a round of ours" in told
    assert "Output, run, checkpoint, seed and release Not known" in told


def test_the_api_tells_the_same(study: Study, row: ReleaseRow) -> None:
    run, rating = rated_run(study, row)
    _token, secret = make_token(user=make_member(study, name="ada"), label="test")
    lea = Client(headers={"Authorization": f"Bearer {secret}"})

    told: dict[str, Any] = lea.get(f"/api/v1/studies/evenings/ratings/{rating.pk}/lineage/").json()

    listed = lea.get("/api/v1/studies/evenings/ratings/").json()["results"]
    assert told["rating"] in listed and len(listed) == 2
    (origin,) = told["origins"]
    assert told["rating"]["rater"] == rating.rater.pseudonym
    assert told["came_from"] == "runs" and told["shown_together"] == 2
    assert (origin["run"]["run"], origin["run"]["seed"]) == (run.pk, 4711)
    assert origin["run"]["checkpoint_sha256"] == "sha256:abc"
    assert origin["generation"]["checkpoint_step"] == 12
    assert (origin["release"]["sha256"], origin["row"]["position"]) == (
        row.release.sha256,
        row.position,
    )


def test_others_find_nothing_and_reviewers_see_nothing(study: Study) -> None:
    rating = make_item(study, "story-revision", *together(inferable=(4,))).ratings.get()
    address = reverse("admin:evaluation_rating_change", args=[rating.pk])
    stranger, reviewer = Client(), Client()
    stranger.force_login(make_member(make_study(), name="omar"))
    reviewer.force_login(make_member(study, role=StudyRole.REVIEWER, name="ada"))

    assert stranger.get(address).status_code == 404
    assert reviewer.get(address).status_code == 403
