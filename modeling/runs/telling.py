"""A run in words and as data, for commands."""

from typing import Any

from django.utils.translation import gettext as _

from modeling.models import Run


def as_dict(run: Run) -> dict[str, Any]:
    return {
        "run": run.pk,
        "public_id": str(run.public_id),
        "name": run.name,
        "release": run.release.name if run.release else None,
        "began_with": run.began_with_id,
        "files": run.files,
        "task": run.task,
        "input": run.input,
        "partition": run.partition,
        "method": run.method,
        "configuration": run.configuration,
        "seed": run.seed,
        "queue": run.queue,
        "state": run.state,
        "progress": run.progress,
        "error": run.error,
        "last_words": run.last_words,
        "data_sha256": run.data_sha256,
        "code_version": run.code_version,
        "model_revision": run.model_revision,
        "attempts": run.attempts,
        "facts": run.facts,
    }


def as_text(run: Run) -> str:
    said = _("Run %(run)s: %(method)s, %(task)s, seed %(seed)s, %(state)s") % {
        "run": run.pk,
        "method": run.method,
        "task": run.task,
        "seed": run.seed,
        "state": run.get_state_display(),
    }
    step = _step(run)
    scores = [
        f"{part} {metric} {value:.4f}"
        for part, metrics in run.facts.get("scores", {}).items()
        for metric, value in metrics.items()
    ]
    lines = [f"{said}{step}", *(["  " + ", ".join(scores)] if scores else [])]
    if run.error:
        lines += [f"  {run.error}", *(f"  | {line}" for line in run.last_words.splitlines())]
    return "\n".join(lines)


def _step(run: Run) -> str:
    if run.is_finished or not run.progress:
        return ""
    return _(", step %(step)s of %(steps)s") % dict(run.progress)
