"""A response to a task of ratings into a row for each of its items."""

import random

from evaluation.instruments.as_data import declaration_from
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Code, Kind
from evaluation.models import Item, Rating
from evaluation.rating.arranging import OTHER, Placed, arrangement
from studies.models import Assignment, Response
from studies.services.arranging import seed_of


def record_ratings(*, response: Response, assignment: Assignment) -> list[Rating]:
    """Within the transaction that commits the response."""
    assert assignment.participant_id is not None
    item = assignment.task.payload
    declared = declaration_from(item["instrument"])
    placed = arrangement(item, random.Random(seed_of(assignment)))
    given = {one["key"]: one["answers"] for one in response.answers["items"]}
    items = dict(Item.objects.filter(task=assignment.task_id).values_list("token", "pk"))
    return Rating.objects.bulk_create(
        Rating(
            item_id=items[one.key],
            rater_id=assignment.participant_id,
            response=response,
            answers=about_systems(given[one.key], declared, one),
            swapped=one.swapped,
            place=place,
            accepted_at=response.assignment.accepted_at,
            submitted_at=response.submitted_at,
        )
        for place, one in enumerate(placed, 1)
    )


def about_systems(
    answers: dict[str, Code], declared: Declaration, placed: Placed
) -> dict[str, Code]:
    """Answers about the left and the right one as answers about the first and the second."""
    if not placed.swapped:
        return answers
    pairs = {one.slug for one in declared.questions if one.kind is Kind.PAIRWISE}
    return {
        slug: OTHER.get(str(code), code) if slug in pairs else code
        for slug, code in answers.items()
    }
