"""Studies with accepted responses."""

import io
import secrets
from typing import Any

from annotation.models import Release
from annotation.releases.building import build_release
from annotation.releases.rule import ReleaseRule
from studies.models import Contribution, ContributionStatus, Participant, Response, Round, Study
from studies.services.response_import import import_responses
from studies.services.submission import add_contributions
from tests.studies.factories import make_participant
from tests.studies.published import lines, published_row
from tests.studies_admin.responses import make_response


def bring(study: Study, rows: list[dict[str, Any]]) -> None:
    """Responses made elsewhere; they come in as accepted."""
    outcome = import_responses(
        study=study, source=io.BytesIO(lines(*rows)), name=f"{secrets.token_hex(4)}.jsonl"
    )
    assert outcome.ok, outcome.problem_lines()


def past_rows(stories: int, each: int = 3, first: int = 0) -> list[dict[str, Any]]:
    return [
        published_row(f"P{story}-{n}", f"past-{story}")
        for story in range(first, first + stories)
        for n in range(each)
    ]


def contribute(
    round: Round,
    *,
    participant: Participant | None = None,
    status: ContributionStatus = ContributionStatus.ACCEPTED,
    **fields: Any,
) -> Contribution:
    """A response of our own with its contribution, judged as `status` says."""
    response: Response = make_response(
        round, participant=participant or make_participant(round), **fields
    )
    (contribution,) = add_contributions(response=response, item=response.assignment.task.payload)
    Contribution.objects.filter(pk=contribution.pk).update(status=status)
    contribution.refresh_from_db()
    return contribution


def build(study: Study, name: str = "v1", seed: int = 7, **rule: Any) -> Release:
    return build_release(study=study, name=name, seed=seed, rule=ReleaseRule(**rule))
