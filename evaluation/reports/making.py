"""A report of a study: rows read, scored, and made into the lines of a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from evaluation.models import Instrument
from evaluation.reports.agreement import AgreementLine, agreement_lines
from evaluation.reports.comparing import Comparison, Source, compare
from evaluation.reports.correlation import CorrelationLine, correlation_lines
from evaluation.reports.reading import choose_instrument, rated_items
from evaluation.reports.registry import AGREEMENT, RULES, Report
from evaluation.reports.rows import Items, first_submitted
from evaluation.reports.scores import Line, Metric, ReportRefused, Score, lines_of
from evaluation.reports.scoring import scored
from evaluation.reports.strengths import StrengthLine, strength_lines
from studies.models import Study


@dataclass(frozen=True)
class Asked:
    """What a report is asked to be. What people wrote is read from the file `references`, or from a
    release, the newest one where none is named."""

    rule: str = RULES[0]
    systems: tuple[str, ...] = ()
    instrument: str | None = None
    expected_items: int | None = None
    first_submitted: int | None = None
    release: str | None = None
    references: Path | None = None


@dataclass(frozen=True)
class Made:
    """`lines` of a table by system, with `strengths` where pairs were compared; or `agreement` by
    question; or `correlations` by metric."""

    report: Report
    asked: Asked
    instrument: Instrument
    items: Items
    metrics: Sequence[Metric] = ()
    scores: Sequence[Score] = ()
    lines: Sequence[Line] = ()
    agreement: Sequence[AgreementLine] = ()
    strengths: Sequence[StrengthLine] = ()
    correlations: Sequence[CorrelationLine] = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        numbers = self.lines or self.agreement
        told = [line.as_dict() for line in (*numbers, *self.strengths)]
        return told + [row for line in self.correlations for row in line.as_dicts()]

    @property
    def ratings(self) -> int:
        return sum(len(item.ratings) for item in self.items)


def make_report(study: Study, report: Report, asked: Asked, *, works_out: bool = True) -> Made:
    """`works_out` says whether there is time to score outputs that were not scored before.

    Raises ReportRefused, and NotScored.
    """
    chosen, comparison = compared(study, report, asked)
    expected = asked.expected_items
    if report.compares:
        comparison, expected = scored(comparison, works_out=works_out), None
    try:
        return _made(report, asked, chosen[0], comparison, expected)
    except LookupError as error:
        raise ReportRefused(str(error)) from error


def compared(study: Study, report: Report, asked: Asked) -> tuple[list[Instrument], Comparison]:
    """What the report is made of: versions of an instrument and rated items; beside what people
    wrote, where it compares with that. Raises ReportRefused."""
    _check(report, asked)
    chosen = choose_instrument(study, report, systems=asked.systems, slug=asked.instrument)
    items = rated_items(study, chosen, systems=asked.systems)
    if asked.first_submitted is not None:
        items = first_submitted(items, asked.first_submitted)
    if not items:
        raise ReportRefused(_("There are no ratings for this report yet."))
    if not report.compares:
        return chosen, Comparison(items)
    source = Source(asked.release, asked.references)
    return chosen, compare(study, chosen, items, source, expected=asked.expected_items)


def _made(
    report: Report,
    asked: Asked,
    instrument: Instrument,
    comparison: Comparison,
    expected: int | None,
) -> Made:
    items, declared = comparison.items, instrument.declared
    made = Made(report, asked, instrument, items)
    if report.name == AGREEMENT:
        return replace(made, agreement=agreement_lines(items, declared))
    if report.scores is None:
        return replace(made, correlations=correlation_lines(items, declared, asked.rule))
    metrics = report.metrics_of(declared)
    scores = list(report.scores([*items, *comparison.absent], declared, asked.rule))
    return replace(
        made,
        metrics=metrics,
        scores=scores,
        lines=lines_of(scores, metrics, expected),
        strengths=list(strength_lines(items, declared)) if report.ranks else (),
    )


def _check(report: Report, asked: Asked) -> None:
    if asked.rule not in RULES:
        raise ReportRefused(
            _("There is no rule “%(rule)s”. Known: %(known)s.")
            % {"rule": asked.rule, "known": ", ".join(RULES)}
        )
    for value in (asked.expected_items, asked.first_submitted):
        if value is not None and value < 1:
            raise ReportRefused(_("Numbers of items and ratings are 1 or more."))
    if asked.expected_items is not None and not report.takes_expected:
        raise ReportRefused(_("This report does not say what an absent item scores."))
    if (asked.release or asked.references) and not report.compares:
        raise ReportRefused(
            _("This report compares nothing with what people wrote: leave the release or file out.")
        )
