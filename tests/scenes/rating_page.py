"""The rating page: a text or several beside their questions."""

from functools import partial
from typing import Any

from playwright.sync_api import expect

from evaluation.services.rating_rounds import launch_ratings
from studies import jobs
from studies.models import Round, Study
from tests.evaluation.rating_rounds import planned, read
from tests.scenes.rated import REVISED, STORY
from tests.scenes.scene import Scene, Visit
from tests.scenes.task_page import ready, saved

SLUG = "judging"
CALM = {"story": STORY, "state": "Mira is calm."}
ENDED = {
    "premise": STORY[0],
    "counterfactual": "The sun had shone since noon.",
    "initial": STORY[1],
    "ending": STORY[2:],
}
ITEMS: dict[str, list[dict[str, Any]]] = {
    "state-inference": [{"system": "people", "id": "1", **CALM, "marked": [3, 5]}],
    "story-revision": [
        {"system": "t5-base", "id": "1", **CALM, "revision": REVISED},
        {"system": "GPT3", "id": "1", **CALM, "revision": [*STORY[:4], "Mira smiled, and slept."]},
    ],
    "pairwise": [
        {"system": "t5-base", "id": "1", **ENDED, "output": "She counted the cups in the sun."},
        {"system": "GPT3", "id": "1", **ENDED, "output": "Mira waited in the yard, and hummed."},
    ],
}


def round_of(instrument: str) -> Round:
    """Made at the first scene that needs it."""
    study, _made = Study.objects.get_or_create(slug=SLUG, defaults={"title": "Evenings, judged"})
    found = study.rounds.filter(rating_round__instrument__slug=instrument).first()
    return found or _published(study, instrument)


def _published(study: Study, instrument: str) -> Round:
    outputs = read(study, instrument, ITEMS[instrument])
    round, job = launch_ratings(plan=planned(study, instrument, outputs, overlap=6))
    jobs.run(job.pk)
    round.refresh_from_db()
    return round


def opened(visit: Visit, instrument: str) -> None:
    round = visit.world.do(round_of, instrument)
    worker = visit.world.make_worker("Teo Lind")
    visit.open_task(assignment=visit.world.accept(worker, round))


def answered(visit: Visit, *, instrument: str, keys: str = "") -> None:
    opened(visit, instrument)
    ready(visit.page)
    for key in keys:
        visit.page.keyboard.press(key)
    saved(visit.page)


def errors(visit: Visit) -> None:
    opened(visit, "story-revision")
    ready(visit.page)
    visit.page.keyboard.press("4")
    visit.page.locator("#id_logical_1").get_by_text("Help").click()
    visit.page.click("#submit-button")
    expect(visit.page.locator("#error-summary li")).to_have_count(5)


def without_scripts(visit: Visit) -> None:
    visit.page.route("**/*.js", lambda route: route.abort())
    opened(visit, "story-revision")


SCENES = [
    Scene("task-rating", partial(answered, instrument="state-inference", keys="4")),
    Scene("task-rating-several", partial(answered, instrument="story-revision", keys="4y12")),
    Scene("task-rating-pair", partial(answered, instrument="pairwise", keys="13")),
    Scene("task-rating-errors", errors),
    Scene("task-rating-without-scripts", without_scripts),
]
