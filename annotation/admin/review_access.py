"""Who may review what: a permission, a study that one works on, a turn that is one's own."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from annotation.models import Turn
from annotation.review.counted import JUDGED
from studies.access import visible_rows, visible_studies
from studies.admin.base import require
from studies.models import Contribution, Study

REVIEW = "annotation.add_verdict"
TO_TASK = "response__assignment__task"
TO_STUDY = f"{TO_TASK}__round__study"


def reviewer_of(request: HttpRequest) -> User:
    """The signed-in person, who may judge. Raises PermissionDenied."""
    user = require(request, REVIEW)
    assert isinstance(user, User)
    return user


def study_to_review(reviewer: User, pk: int) -> Study:
    return get_object_or_404(visible_studies(reviewer), pk=pk)


def own_turn(reviewer: User, pk: int) -> Turn:
    """Raises Http404 where `found_turn` finds none."""
    return get_object_or_404(_own_turns(reviewer), pk=pk)


def found_turn(reviewer: User, pk: int) -> Turn | None:
    """The person's turn of that id; one of somebody else, that lapsed, or whose
    contribution was withdrawn, is not found."""
    return _own_turns(reviewer).filter(pk=pk).first()


def _own_turns(reviewer: User) -> QuerySet[Turn]:
    turns = Turn.objects.select_related("reviewer", f"contribution__{TO_STUDY}")
    return visible_rows(reviewer, turns.filter(JUDGED, reviewer=reviewer))


def study_of(contribution: Contribution) -> Study:
    return contribution.response.assignment.task.round.study
