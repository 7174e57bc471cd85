"""How far the raters of a file agree: as data, and in lines."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from evaluation.rating_file import BadRatingFile, RatingColumns, Ways, read_ratings
from stats import agreement
from stats.agreement import Agreement, krippendorff_alpha
from stats.bootstrap import bootstrap
from stats.choices import ALPHA, COEFFICIENT_NAMES
from stats.long import RatedTwice, RatingTable, TooManyCells, table_of
from stats.ratings import BadScale
from stats.resampling import TooFewResamples
from stats.weights import BadWeights

RESAMPLES = 1000
REFUSALS = BadRatingFile, RatedTwice, BadScale, BadWeights, TooFewResamples, TooManyCells


def agreement_of(
    source: BinaryIO, *, name: str, columns: RatingColumns, ways: Ways
) -> dict[str, Any]:
    """What was asked, and the coefficients of each group. Raises what `REFUSALS` names."""
    rated = read_ratings(source, columns, name=name, scale=ways.scale)
    groups = [
        _group(group, table_of(rows, categories=ways.scale), ways) for group, rows in rated.items()
    ]
    asked = {key: value for key, value in asdict(ways).items() if key != "coefficients"}
    return {"file": name, **asked, "by": columns.by, "groups": groups}


def in_lines(found: dict[str, Any]) -> str:
    """What `agreement_of` found, a table for each group."""
    return "\n\n".join(_describe(group, found) for group in found["groups"])


def _group(group: str | None, table: RatingTable, ways: Ways) -> dict[str, Any]:
    found = list(_coefficients(table, ways))
    facts = found[0][-1]
    return {
        "group": group,
        "n_items": facts.n_items,
        "n_raters": facts.n_raters,
        "n_ratings": facts.n_ratings,
        "n_single_rated": facts.n_single_rated,
        "missing": 1 - facts.n_ratings / (facts.n_items * facts.n_raters),
        "coefficients": [
            {"coefficient": name, "weights": weights, "level": level, **_numbers(one)}
            for name, weights, level, one in found
        ],
    }


def _coefficients(
    table: RatingTable, ways: Ways
) -> Iterator[tuple[str, str | None, str | None, Agreement]]:
    """Name, weights or level, and what it came to."""
    how: dict[str, Any] = {"categories": ways.scale, "confidence": ways.confidence}
    resamples = RESAMPLES if ways.bootstrap is None else ways.bootstrap
    drawn: dict[str, Any] = {"resamples": resamples, "seed": ways.seed}
    for name in ways.coefficients or COEFFICIENT_NAMES:
        if ways.bootstrap is not None:
            found = bootstrap(name, table.ratings, weights=ways.weights, **how, **drawn)
        else:
            formula = getattr(agreement, name)
            found = formula(table.ratings, weights=ways.weights, se=ways.se, **how)
        yield name, ways.weights, None, found
    if ways.level:
        found = krippendorff_alpha(table.ratings, level=ways.level, **how, **drawn)
        yield ALPHA, None, ways.level, found


def _numbers(found: Agreement) -> dict[str, Any]:
    kept = "value", "se", "ci_low", "ci_high", "p_value", "observed", "expected"
    told = asdict(found)
    return {key: told[key] for key in (*kept, "undefined_reason", "note")}


def _describe(group: dict[str, Any], asked: dict[str, Any]) -> str:
    facts = _(
        "items: %(n_items)s, raters: %(n_raters)s, ratings: %(n_ratings)s; missing: %(missing)s; "
        "items with a single rating: %(n_single_rated)s"
    ) % {**group, "missing": f"{group['missing']:.0%}"}
    head = f"{asked['by']} {group['group']}: {facts}" if asked["by"] else facts
    interval = _("%(confidence)s interval") % {"confidence": f"{100 * asked['confidence']:g}%"}
    lines = [head, f"{'':<36}{_('value'):>9}{_('SE'):>9}  {interval:<20}{_('p'):>9}"]
    lines += [_describe_one(one) for one in group["coefficients"]]
    return "\n".join([*lines, *(f"  {note}" for note in _notes(group))])


def _notes(group: dict[str, Any]) -> Iterator[str]:
    """Each once; of several, one about a single coefficient names it."""
    about: dict[str, list[str]] = {}
    for one in group["coefficients"]:
        if one["note"]:
            about.setdefault(one["note"], []).append(_name(one))
    for note, names in about.items():
        yield f"{names[0]}: {note}" if len(names) == 1 < len(about) else note


def _name(one: dict[str, Any]) -> str:
    return f"{one['coefficient']}, {one['weights'] or one['level'] + ' metric'}"


def _describe_one(one: dict[str, Any]) -> str:
    name = _name(one)
    if one["value"] is None:
        return f"{name:<36}{'–':>9}  {one['undefined_reason']}"
    span = "–" if one["ci_low"] is None else f"{one['ci_low']:z.4f} to {one['ci_high']:z.4f}"
    se = "–" if one["se"] is None else f"{one['se']:.4f}"
    p = "–" if one["p_value"] is None else f"{one['p_value']:.2g}"
    return f"{name:<36}{one['value']:>z9.4f}{se:>9}  {span:<20}{p:>9}"
