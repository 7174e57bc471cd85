"""What is reviewed in a world."""

from typing import Any

from django.contrib.auth.models import User

from annotation.models import Turn
from annotation.review import deciding, queue
from studies.models import Response, Study
from tests.annotation.review_pages.desk import draw_all, make_contribution


def fill_review(study: Study, text: str, staff: User) -> None:
    """Contributions in a sample for two experts: staff have judged one and have two before them;
    on others two experts differ."""
    for response in Response.objects.all():
        make_contribution(response)
    draw_all(study, experts=2)
    correct: dict[str, Any] = {"judgement": "correct", "grade": "good"}
    rejection: dict[str, Any] = {
        "judgement": "reject",
        "step": 4,
        "reason": "other",
        "remark": text,
    }
    deciding.record_verdict(turn=_next(staff, study), **rejection)
    queue.upcoming_turn(turn=_next(staff, study), study=study)
    for name, said in (("ottilie", rejection), ("bertrand", correct)):
        expert = User.objects.create_user(name)
        while turn := queue.next_turn(reviewer=expert, study=study):
            deciding.record_verdict(turn=turn, **said)


def _next(reviewer: User, study: Study) -> Turn:
    turn = queue.next_turn(reviewer=reviewer, study=study)
    assert turn is not None
    return turn
