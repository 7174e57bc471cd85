"""What can be done about the model runs of a study."""

from typing import Any

from django.urls import reverse

from annotation.models import Release
from modeling.models import Run, RunState
from studies.models import Study
from tests.everywhere.states import Request

ONLY_SHOW = {
    *("modeling_run_compare", "modeling_run_live", "modeling_run_points"),
    "modeling_run_of_study",
}
REFUSE_ON_THE_FORM = {"modeling_run_start"}


def own_pages(study: Study) -> dict[str, tuple[Request, str]]:
    asked = {
        "release": Release.objects.get(study=study).pk,
        "task": "state-inference",
        "input": "marked",
        "partition": "both",
        "how": "method copy",
        "seeds": "8",
        "processes": "1",
        "name": "a run to come",
    }
    waiting, stopped = _run(study, RunState.QUEUED), _run(study, RunState.CANCELLED)
    return {
        "modeling_run_start": (_post("modeling_run_start", **asked), "a run to come"),
        "modeling_run_cancel": (_post("modeling_run_cancel", waiting.pk), str(waiting)),
        "modeling_run_resume": (_post("modeling_run_resume", stopped.pk), str(stopped)),
    }


def refused_buttons(study: Study) -> dict[str, tuple[Request, str]]:
    done = _run(study, RunState.DONE)
    return {
        "modeling_run_cancel": (_post("modeling_run_cancel", done.pk), "had ended already"),
        "modeling_run_resume": (_post("modeling_run_resume", done.pk), "can be resumed"),
    }


def _run(study: Study, state: RunState) -> Run:
    return Run.objects.filter(study=study, state=state)[0]


def _post(name: str, /, *args: Any, **data: Any) -> Request:
    return Request(reverse(f"admin:{name}", args=args), "POST", data)
