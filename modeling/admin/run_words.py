"""A run's numbers in words."""

from datetime import timedelta
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from modeling.models import Run, RunState


def time_left(run: Run) -> str:
    seconds = run.progress.get("eta_seconds")
    if run.state != RunState.RUNNING or seconds is None:
        return ""
    if seconds < 90:
        whole = round(seconds)
        return ngettext("about %(n)d second left", "about %(n)d seconds left", whole) % {"n": whole}
    minutes = round(seconds / 60)
    if minutes < 120:
        text = ngettext("about %(n)d minute left", "about %(n)d minutes left", minutes)
        return text % {"n": minutes}
    hours = round(minutes / 60)
    return ngettext("about %(n)d hour left", "about %(n)d hours left", hours) % {"n": hours}


def facts_of(run: Run) -> list[tuple[str, str]]:
    """What a run can be traced by; what is not known yet is left out."""
    took = run.finished_at and run.started_at and run.finished_at - run.started_at
    facts = [
        (_("Task"), run.task),
        (_("Input"), run.input),
        (_("Learns from"), run.partition),
        (_("Seed"), str(run.seed)),
        (_("Queue"), run.queue),
        (_("Processes"), str(run.processes) if run.processes > 1 else ""),
        (_("Host"), run.host),
        (_("Begun"), _times(run.attempts) if run.attempts else ""),
        (_("Took"), str(timedelta(seconds=round(took.total_seconds()))) if took else ""),
        (_("Model’s revision"), run.model_revision),
        (_("Code"), run.code_version),
        (_("Hash of the instances"), run.data_sha256),
        (_("Public id"), str(run.public_id)),
    ]
    return [fact for fact in facts if fact[1]]


def usage_of(run: Run) -> list[tuple[str, str]]:
    """What it used when it last said so."""
    told: dict[str, Any] = run.progress
    facts = [
        (_("Memory"), _size(told.get("memory_bytes"))),
        (_("GPU memory"), _size(told.get("gpu_memory_bytes"))),
        (_("GPU use"), _percent(told.get("gpu_share"))),
    ]
    return [fact for fact in facts if fact[1]]


def _times(count: int) -> str:
    return ngettext("%(n)d time", "%(n)d times", count) % {"n": count}


def _size(count: float | None) -> str:
    return filesizeformat(count) if count else ""


def _percent(share: float | None) -> str:
    return "" if share is None else f"{number_format(round(100 * share))}%"
