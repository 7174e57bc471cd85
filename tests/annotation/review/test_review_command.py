import io
import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Pick, Turn
from annotation.review import queue, tasks
from config.celery import app
from tests.annotation.review.factories import judge, make_reviewed_round, make_reviewer

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("review", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def report(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--format", "json"))


def test_it_shows_plan_progress_and_agreement() -> None:
    plan, _workers = make_reviewed_round(workers=2, each=10, double_share=Decimal("0.5"))
    slug = plan.study.slug
    assert report(slug)["missing"] == 6

    drawn = report(slug, "--top-up")
    assert drawn["drawn"] == {"participants": 2, "picks": 6, "doubles": 3}
    for correct in (True, False):
        expert = make_reviewer(plan.study)
        while (turn := queue.next_turn(reviewer=expert, study=plan.study)) is not None:
            judge(turn, correct=correct)

    told = report(slug)

    assert told["drawn"] is None
    assert told["plan"]["rounds"] == [1] and told["plan"]["seed"] == plan.seed
    assert (told["workers"], told["responses"], told["required"], told["missing"]) == (2, 20, 6, 0)
    assert told["sample"] == {
        "picks": 6,
        "doubles": 3,
        "open": 0,
        "correct": 3,
        "rejected": 0,
        "disputed": 3,
    }
    agreement = told["agreement"]["doubly reviewed"]
    assert (agreement["contributions"], agreement["percent"]["value"]) == (3, 0)
    text = run(slug)
    assert "30% of a worker's responses; further on 20% and 10 more" in text
    assert "3 correct, 0 rejected, 3 disputed, 0 open" in text
    assert "3 responses, 0.0% alike, AC1 -1.000" in text


def test_before_anything_is_judged_it_says_why_agreement_is_unknown() -> None:
    plan, _workers = make_reviewed_round(each=10)

    text = run(plan.study.slug)

    assert "still to be drawn: 3 (--top-up)." in text
    assert "unknown, since no item has two ratings." in text


def test_an_unknown_study_is_named() -> None:
    with pytest.raises(CommandError, match="no study"):
        run("nowhere")


def test_the_clock_tops_samples_up_and_gives_lapsed_turns_back() -> None:
    plan, _workers = make_reviewed_round(each=10)
    tasks.top_up_all_samples()
    assert Pick.objects.count() == 3
    queue.next_turn(reviewer=make_reviewer(plan.study), study=plan.study)
    Turn.objects.update(given_at=timezone.now() - timedelta(hours=1))

    tasks.give_back_lapsed()

    assert not Turn.objects.exists()
    app.loader.import_default_modules()
    names = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert {"annotation.top_up_all_samples", "annotation.give_back_lapsed"} <= names
    assert names <= set(app.tasks)
