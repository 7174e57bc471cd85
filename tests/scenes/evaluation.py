"""The researcher's pages of instruments, ratings made elsewhere, and reports."""

import json
from functools import partial

from studies.models import Study
from tests.evaluation.result_file import four_items, rating, result_file
from tests.scenes.admin_runs import ran
from tests.scenes.rated import (
    a_rating,
    a_rating_of_a_run,
    a_rating_round,
    a_result_file,
    an_item,
    instrument_pk,
    outputs,
    rated_study,
)
from tests.scenes.scene import Scene, Visit, admin

# The system stands in pairs, too.
AGREEMENT = "agreement/?system=GPT3&instrument=story-revision"


def rated(visit: Visit) -> Study:
    return visit.world.do(rated_study, visit.ground.researcher)


def reports(visit: Visit, *, ending: str = "") -> None:
    visit.open_admin(f"evaluation/item/study/{rated(visit).pk}/{ending}")


def drawn(visit: Visit, *, ending: str) -> None:
    reports(visit, ending=ending)
    visit.page.wait_for_selector(".st-drawing svg")


def behind(visit: Visit, *, report: str) -> None:
    drawn(visit, ending=report)
    visit.page.locator(".ev-table td a").first.click()
    visit.page.wait_for_url("**/behind/**")


def nothing_rated(visit: Visit) -> None:
    visit.open_admin(f"evaluation/item/study/{visit.world.empty.pk}/")


def item(visit: Visit, *, slug: str = "story-revision") -> None:
    found = visit.world.do(an_item, rated(visit), slug)
    visit.open_admin(f"evaluation/item/{found.pk}/change/")


def result_file_page(visit: Visit, *, ending: str = "change/") -> None:
    rated(visit)
    visit.open_admin(f"evaluation/resultfile/{visit.world.do(a_result_file)}/{ending}")


def listed(visit: Visit, *, of: str) -> None:
    rated(visit)
    visit.open_admin(f"evaluation/{of}/")


def instrument(visit: Visit, *, slug: str) -> None:
    visit.open_admin(f"evaluation/instrument/{visit.ground.do(instrument_pk, slug)}/change/")


def made(visit: Visit, *, text: str = "") -> None:
    visit.open_admin(
        f"evaluation/instrument/make/?from={visit.ground.do(instrument_pk, 'state-change')}"
    )
    if text:
        visit.page.locator("#id_declaration").fill(text)
    visit.page.get_by_role("button", name="Preview").click()
    visit.page.wait_for_load_state()


def uploaded(visit: Visit, *, wrong: bool = False) -> None:
    study = rated(visit)
    visit.open_admin(f"evaluation/resultfile/upload/?study={study.pk}")
    page = visit.page
    page.get_by_label("Instrument").select_option(label="State inference · 1")
    page.get_by_label("System").fill("people")
    content = result_file([rating("HIT", "W", ())] if wrong else four_items())
    file = {"name": "results.csv", "mimeType": "text/csv", "buffer": content}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Upload and check").click()
    page.wait_for_url("**/preview/**")


def to_be_launched(visit: Visit, *, review: bool = False) -> None:
    visit.open_admin(f"evaluation/ratinground/launch/{rated(visit).pk}/")
    if not review:
        return
    page = visit.page
    page.get_by_label("Instrument").select_option(label="Story revision · 1")
    content = "\n".join(map(json.dumps, outputs())).encode()
    file = {"name": "outputs.jsonl", "mimeType": "application/json", "buffer": content}
    page.locator("#id_items").set_input_files(file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Review").click()
    page.wait_for_url("**/review/**")


def rating_round(visit: Visit) -> None:
    pk = visit.world.do(a_rating_round, rated(visit))
    visit.open_admin(f"evaluation/ratinground/{pk}/change/")


def lineage(visit: Visit, *, slug: str) -> None:
    visit.open_admin(f"evaluation/rating/{visit.world.do(a_rating, rated(visit), slug)}/change/")


def lineage_of_run(visit: Visit) -> None:
    pk = visit.world.do(a_rating_of_a_run, ran(visit))
    visit.open_admin(f"evaluation/rating/{pk}/change/")


def not_scored(visit: Visit) -> None:
    study = ran(visit)
    visit.world.do(a_rating_of_a_run, study)
    visit.open_admin(f"evaluation/item/study/{study.pk}/automatic/")


def lineage_of_item(visit: Visit) -> None:
    found = visit.world.do(an_item, rated(visit), "story-revision")
    visit.open_admin(f"evaluation/item/{found.pk}/lineage/")


SCENES = [
    admin("admin-instrument-list", "evaluation/instrument/", bare=True),
    admin("admin-rating-list-empty", "evaluation/rating/", bare=True),
    Scene("admin-instrument", partial(instrument, slug="state-change")),
    Scene("admin-instrument-make", made),
    Scene("admin-instrument-make-wrong", partial(made, text="{")),
    Scene("admin-results-upload", lambda visit: visit.open_admin("evaluation/resultfile/upload/")),
    Scene("admin-results-preview", uploaded),
    Scene("admin-results-preview-wrong", partial(uploaded, wrong=True)),
    Scene("admin-results-file", result_file_page),
    Scene("admin-results-withdraw", partial(result_file_page, ending="withdraw/")),
    Scene("admin-evaluation", reports),
    Scene("admin-evaluation-none", nothing_rated),
    Scene("admin-evaluation-report", partial(drawn, ending="story_revision/")),
    Scene("admin-evaluation-agreement", partial(drawn, ending=AGREEMENT)),
    Scene("admin-evaluation-pairs", partial(drawn, ending="pairwise/")),
    Scene("admin-evaluation-refused", partial(reports, ending="state_change/")),
    Scene("admin-evaluation-behind", partial(behind, report="story_revision/")),
    Scene("admin-evaluation-behind-agreement", partial(behind, report=AGREEMENT)),
    Scene("admin-evaluation-item", item),
    Scene("admin-evaluation-item-pair", partial(item, slug="pairwise")),
    Scene("admin-evaluation-item-list", partial(listed, of="item")),
    Scene("admin-evaluation-rating-list", partial(listed, of="rating")),
    Scene("admin-evaluation-launch", to_be_launched),
    Scene("admin-evaluation-launch-review", partial(to_be_launched, review=True)),
    Scene("admin-evaluation-round", rating_round),
    Scene("admin-evaluation-not-scored", not_scored),
    Scene("admin-lineage", lineage_of_run),
    Scene("admin-lineage-pair", partial(lineage, slug="pairwise")),
    Scene("admin-lineage-item", lineage_of_item),
]
