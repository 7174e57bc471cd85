"""Responses go out: confirmed ones of real rounds, in short batches, to a file that is whole."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies import task_types
from studies.models import Response, ResponseState, Round, Study
from studies.services.response_layout import ENVELOPED, OWN, TABLE, OpaqueLabels
from studies.services.response_sources import BATCH, Source, read_sources
from studies.services.response_writing import CannotWrite, require_place, row_writer, whole_file
from studies.task_types import RowError, TaskType
from studies.withdrawn import is_withdrawn

Progress = Callable[[int, int | None, str], None]
UNFIT_NAMED = 20


class ExportRefused(Exception):
    """Nothing was written; the text says why."""


@dataclass
class ResponseExport:
    """How many rows were written, and what was left out for which reason."""

    study: str
    format: str
    file: str
    rows: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    unfit: list[str] = field(default_factory=list)
    unfit_count: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "study": self.study,
            "format": self.format,
            "file": self.file,
            "rows": self.rows,
            "left_out": self.left_out,
            "unfit": self.unfit,
        }


_decode = orjson.loads


def export_responses(
    *,
    study: Study,
    fmt: str,
    path: Path,
    round: Round | None = None,
    force: bool = False,
    skip_unfit: bool = False,
    progress: Progress | None = None,
) -> ResponseExport:
    """Write the confirmed responses of a study's rounds (pilots aside), without those that their
    worker took back, to `path`.

    Reads in batches that each hold no lock and no snapshot, in constant memory. The file appears
    under its name when it is whole. Raises ExportRefused when it exists already and `force` is not
    given, when it cannot be written, or when rows do not fit the format and `skip_unfit` is not
    given.
    """
    try:
        require_place(path, force=force)
    except CannotWrite as error:
        raise ExportRefused(str(error)) from error
    report = ResponseExport(study=study.slug, format=fmt, file=str(path))
    types = {t.slug: t for t in task_types.all_types() if fmt in t.export_formats}
    responses = _responses_of(study, round)
    report.left_out = _left_out(responses, list(types))
    chosen = _exported(responses, list(types))
    try:
        with whole_file(path, force=force) as out:
            row_writer(fmt)(out, _rows(chosen, study, fmt, types, report, progress))
            if report.unfit_count and not skip_unfit:
                raise ExportRefused("\n".join(_unfit_lines(report)))
    except CannotWrite as error:
        raise ExportRefused(str(error)) from error
    if report.unfit_count:
        report.left_out["unfit"] = report.unfit_count
    return report


def _responses_of(study: Study, round: Round | None) -> QuerySet[Response]:
    if round is not None:
        return Response.objects.filter(assignment__task__round=round)
    return Response.objects.filter(assignment__task__round__study=study)


def _exported(responses: QuerySet[Response], types: list[str]) -> QuerySet[Response]:
    return responses.filter(
        ~is_withdrawn(),
        state=ResponseState.CONFIRMED,
        assignment__task__round__pilot=False,
        task_type__in=types,
    )


def _left_out(responses: QuerySet[Response], types: list[str]) -> dict[str, int]:
    pilot = Q(assignment__task__round__pilot=True)
    confirmed = Q(state=ResponseState.CONFIRMED)
    reasons = {
        "pilot": pilot,
        "waiting": ~pilot & Q(state=ResponseState.SUBMITTED),
        "unconfirmed": ~pilot & Q(state=ResponseState.UNCONFIRMED),
        "withdrawn": ~pilot & confirmed & Q(is_withdrawn()),
        "other_task_type": ~pilot & confirmed & ~is_withdrawn() & ~Q(task_type__in=types),
    }
    counts = responses.aggregate(**{name: Count("pk", filter=q) for name, q in reasons.items()})
    return {name: count for name, count in counts.items() if count}


def _rows(
    chosen: QuerySet[Response],
    study: Study,
    fmt: str,
    types: dict[str, TaskType],
    report: ResponseExport,
    progress: Progress | None,
) -> Iterator[dict[str, Any]]:
    # One look at which rows there are (8 bytes each), so that every batch is a walk by primary key.
    ids = array("q", chosen.order_by("pk").values_list("pk", flat=True).iterator())
    rounds = {round.pk: round for round in study.rounds.all()}
    opaque = OpaqueLabels(study.export_salt)
    message = _("Writing responses")
    for read, source in enumerate(read_sources(ids, fmt=fmt), 1):
        round = rounds[source.round]
        label = source.marketplace_id if round.past else ""
        label = label or opaque.of(source.assignment)
        try:
            row = types[source.task_type].export_row(
                fmt, label=label, item=_decode(source.item), answers=_decode(source.answers)
            )
        except RowError as error:
            report.unfit_count += 1
            if len(report.unfit) < UNFIT_NAMED:
                report.unfit.append(f"{label}: {error.message}")
        else:
            if fmt in ENVELOPED:
                row |= _envelope(source, round.number, fmt)
            report.rows += 1
            yield row
        if progress and read % BATCH == 0:
            progress(read, len(ids), message)
    if progress:
        progress(len(ids), len(ids), message)


def _envelope(source: Source, round: int, fmt: str) -> dict[str, Any]:
    return {
        "task_type": source.task_type,
        "schema_version": source.schema_version,
        "round": round,
        "participant": source.pseudonym,
        "warnings": source.cautions if fmt == TABLE else _decode(source.cautions),
        "submitted_at": source.submitted_at,
        "confirmed_at": source.confirmed_at,
    }


def _unfit_lines(report: ResponseExport) -> list[str]:
    more = report.unfit_count - len(report.unfit)
    sentence = ngettext(
        "Nothing was written: %(count)s response does not fit %(format)s.",
        "Nothing was written: %(count)s responses do not fit %(format)s.",
        report.unfit_count,
    )
    lines = [
        sentence % {"count": f"{report.unfit_count:,}", "format": report.format},
        *report.unfit,
    ]
    if more:
        lines.append(_("and %(count)s more") % {"count": f"{more:,}"})
    return [*lines, _("Choose %(own)s, or leave them out with --skip-unfit.") % {"own": OWN}]
