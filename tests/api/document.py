"""The API's document, and what its addresses name at a site."""

from typing import Any

from drf_spectacular.generators import SchemaGenerator

from studies.models import Response
from tests.api.conftest import Site


def document() -> Any:
    return SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]


def named(site: Site) -> dict[str, Any]:
    """A value for every parameter of an address."""
    return {
        "study": site.study.slug,
        "number": site.round.number,
        "job": site.study.jobs.order_by("pk")[0].pk,
        "response_id": Response.objects.filter(assignment__task__round=site.round)[0].pk,
        "name": "v1",
        "participant": site.study.participants.order_by("pk")[0].pseudonym,
        "turn": 1,
        "run": 1,
        "rating": 1,
        "report": "agreement",
        "result_file": 1,
        "instrument": "state-inference",
        "key": "0" * 20,
        "task_type": "state_annotation",
    }
