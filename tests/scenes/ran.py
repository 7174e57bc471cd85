"""Runs of a model in every state, on the study with a release."""

import math
import uuid
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Release
from modeling.models import Generation, Point, Run, RunState
from modeling.presets import preset
from modeling.run_folder import Reason
from modeling.runs.words import what_failed
from studies.models import Study

STEPS = 1_200
LOG = """INFO loading t5-base
INFO 1,216 examples, 12 a batch
ERROR the run failed
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 96.00 MiB."""
SCORES = {"gleu": 0.7321, "rougeL": 0.8177, "rougeLsum": 0.8177, "exact": 0.1208}
STORY = [
    "Ada walked down to the pier.",
    "The lanterns were lit.",
    "She waited for the last boat.",
    "It came late.",
    "She went aboard.",
]


def ran_study(study: Study, researcher: User) -> None:
    """Made at the first scene that needs it."""
    if Run.objects.filter(study=study).exists():
        return
    release = Release.objects.filter(study=study).latest("pk")
    asked = preset("t5-base", "story-revision").as_dict()
    first: Run | None = None
    for fields in _states():
        # The one at work goes on from the first one's model.
        earlier = first if fields["state"] == RunState.RUNNING else None
        run = Run.objects.create(
            study=study,
            release=release,
            name="T5 base",
            task="story-revision",
            method="seq2seq",
            configuration=asked | ({"model": str(earlier.public_id)} if earlier else {}),
            began_with=earlier,
            queue="gpu",
            requested_by=researcher,
            host="gpu-1",
            attempts=1,
            **fields,
        )
        first = first or run
        if run.state in (RunState.RUNNING, RunState.DONE):
            _add_curves(run)
        if run.state == RunState.DONE:
            _add_outputs(run, release)


def newest(state: str) -> Run:
    return Run.objects.filter(study__slug="lanterns", state=state).latest("pk")


def _states() -> list[dict[str, Any]]:
    now = timezone.now()
    known = {
        "data_sha256": "5d41402abc4b2a76b9719d911017c592" * 2,
        "code_version": "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
        "started_at": now - timedelta(minutes=52),
    }
    done = known | {"state": RunState.DONE, "finished_at": now, "model_revision": "a9723ea7"}
    scores = [{name: value + seed / 500 for name, value in SCORES.items()} for seed in range(3)]
    at_work = {
        **{"step": 700, "steps": STEPS, "phase": "training", "loss": 0.41, "eta_seconds": 1_260},
        **{"memory_bytes": 3.1e9, "gpu_memory_bytes": 21.4e9, "gpu_share": 0.97},
    }
    failed = {"reason": Reason.OUT_OF_MEMORY, "error": what_failed(Reason.OUT_OF_MEMORY)}
    return [
        *(
            done
            | {
                "seed": seed,
                "progress": at_work | {"step": STEPS},
                "facts": {"scores": {"revision": one}, "asked": 2, "answered": 2},
            }
            for seed, one in enumerate(scores, 1)
        ),
        known
        | failed
        | {"seed": 4, "state": RunState.FAILED, "finished_at": now, "last_words": LOG},
        known
        | {"seed": 5, "state": RunState.RUNNING, "progress": at_work}
        | {"lease_token": uuid.uuid4(), "lease_until": now + timedelta(days=1)},
        {"seed": 6, "state": RunState.QUEUED, "sent_at": now + timedelta(days=1)},
    ]


def _add_curves(run: Run) -> None:
    last = run.progress["step"]
    Point.objects.bulk_create(
        Point(
            run=run,
            phase="training",
            step=step,
            values={"loss": 0.3 + 2 * math.exp(-step / 220) + 0.04 * math.sin(step)},
        )
        for step in range(10, last + 1, 10)
    )
    Point.objects.bulk_create(
        Point(
            run=run,
            phase="validating",
            step=step,
            values={"metric": 0.5 + 2 * math.exp(-step / 300), "metric_name": "validation loss"},
        )
        for step in range(170, last + 1, 170)
    )


def _add_outputs(run: Run, release: Release) -> None:
    share = {name: [value, 1.0] for name, value in SCORES.items()}
    for part in ("forward", "backward"):
        Generation.objects.create(
            run=run,
            release_row=release.rows.filter(split="test").first(),
            instance_key=f"Q1KD8ZL2:{part}",
            tuple_key="Q1KD8ZL2",
            part=part,
            checkpoint=f"step-{STEPS:012}",
            input_sha256="3858f62230ac3c915f300c664312c63f" * 2,
            fields={"story": STORY, "state": "Ada is afraid of the water."},
            output="<extra_id_5>: She turned round and walked home.",
            target="<extra_id_5>: She let it leave without her.",
            score={"shares": {"revision": share}, "read": {"revision": STORY}, "problems": {}},
        )
