"""The model runs of a world: one in every state, with curves and outputs."""

import uuid
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Release
from modeling.models import Generation, Point, Run, RunState
from modeling.run_folder import Reason
from studies.models import Study

SCORE = {
    "shares": {"answer": {"accuracy": [1.0, 1.0]}},
    "read": {"answer": "true"},
    "problems": {"before": "so"},
}


def fill_runs(study: Study, text: str, staff: User) -> None:
    release = Release.objects.get(study=study)
    for fields in _states(text):
        run = Run.objects.create(
            study=study,
            release=release,
            name=text[:100],
            task="state-inference",
            method="copy",
            configuration={"model": text},
            seed=7,
            queue="cpu",
            requested_by=staff,
            **fields,
        )
        Point.objects.create(run=run, phase="training", step=3, values={"loss": 0.5})
        Point.objects.create(
            run=run, phase="validating", step=3, values={"metric": 0.5, "metric_name": text}
        )
        Generation.objects.create(
            run=run,
            release_row=release.rows.first(),
            instance_key=f"{text[:90]}:1",
            tuple_key=text[:100],
            part="story_state",
            checkpoint="step-000000000003",
            input_sha256="0" * 64,
            fields={"story": [text, text], "state": text},
            output=text,
            target=text,
            score=SCORE,
        )


def _states(text: str) -> list[dict[str, Any]]:
    now = timezone.now()
    at_work = {"step": 3, "steps": 9, "phase": text, "loss": 0.5, "eta_seconds": 70}
    scores = {"answer": {"accuracy": 0.5}}
    return [
        {"state": RunState.DONE, "finished_at": now, "facts": {"scores": scores, "asked": 1}},
        {
            "state": RunState.FAILED,
            "finished_at": now,
            "reason": Reason.UNEXPECTED,
            "error": text,
            "last_words": text,
        },
        {"state": RunState.CANCELLED, "finished_at": now},
        {
            "state": RunState.RUNNING,
            "lease_token": uuid.uuid4(),
            "lease_until": now + timedelta(hours=1),
            "progress": at_work,
        },
        {"state": RunState.QUEUED},
    ]
