from argparse import ArgumentTypeError
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from evaluation.rating_file import (
    BadRatingFile,
    RatingColumns,
    number_of,
    read_ratings,
    read_scale,
)
from stats import agreement
from stats.agreement import Agreement, krippendorff_alpha
from stats.bootstrap import bootstrap
from stats.coefficients import NAMES
from stats.levels import LEVELS
from stats.long import RatedTwice, RatingTable, table_of
from stats.ratings import BadScale
from stats.resampling import TooFewResamples
from stats.weights import WEIGHTS, BadWeights
from studies.management.base import ReportCommand

RESAMPLES = 1000
REFUSALS = BadRatingFile, RatedTwice, BadScale, BadWeights, TooFewResamples


class Command(ReportCommand):
    help = (
        "How far raters agree, from a CSV file with one rating a row: percent agreement, Gwet's "
        "AC, the kappas of Fleiss, Conger, and Brennan and Prediger, and Krippendorff's alpha."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.csv", type=Path)
        for role, what in (
            ("item", "names what was rated"),
            ("rater", "names who rated"),
            ("value", "holds the rating; an empty cell is no rating"),
        ):
            parser.add_argument(
                f"--{role}", required=True, metavar="COL", help=f"column that {what}"
            )
        parser.add_argument(
            "--scale",
            required=True,
            metavar="1,2,3",
            help="every category there is, in order, used or not; --scale=-1,0,1 below 0",
        )
        parser.add_argument("--by", metavar="COL", help="apart for each value of this column")
        add_ways(parser)
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        columns = RatingColumns(*(options[role] for role in ("item", "rater", "value", "by")))
        try:
            options["scale"] = read_scale(options["scale"])
            rated = read_ratings(options["file"], columns, scale=options["scale"])
            groups = [
                group_data(name, table_of(rows, categories=options["scale"]), options)
                for name, rows in rated.items()
            ]
        except REFUSALS as refusal:
            raise CommandError(str(refusal)) from refusal
        keys = "scale", "weights", "level", "se", "confidence", "bootstrap", "seed", "by"
        data = {"file": options["file"].name} | {key: options[key] for key in keys}
        text = "\n\n".join(describe(group, options) for group in groups)
        self.report(data | {"groups": groups}, text, options)


def add_ways(parser: CommandParser) -> None:
    parser.add_argument(
        "--weights",
        choices=WEIGHTS,
        default="identity",
        help="how far different ratings agree (default: identity, not at all)",
    )
    parser.add_argument(
        "--coefficient",
        action="append",
        choices=NAMES,
        help="this one alone; may be given again (default: all)",
    )
    parser.add_argument(
        "--level",
        choices=LEVELS,
        help="Krippendorff's alpha by his metric of this level of measurement, too",
    )
    parser.add_argument(
        "--se",
        choices=["gwet", "delta"],
        default="gwet",
        help="the published standard error, or the delta method's, which stays right where "
        "items have a single rating (default: gwet)",
    )
    parser.add_argument("--confidence", type=share_of, default=0.95, metavar="0.95")
    parser.add_argument(
        "--bootstrap",
        type=whole_number,
        metavar="N",
        help="intervals from N resamples of the items in place of formulas",
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, metavar="S", help="of the resamples"
    )


def share_of(text: str) -> float:
    number = number_of(text)
    if number is None or not 0 < number < 1:
        raise ArgumentTypeError(_("it is a number between 0 and 1"))
    return float(number)


def whole_number(text: str) -> int:
    number = number_of(text)
    if not isinstance(number, int) or number < 0:
        raise ArgumentTypeError(_("it is a whole number from 0 up"))
    return number


def group_data(group: str | None, table: RatingTable, options: dict[str, Any]) -> dict[str, Any]:
    """Raises ValueError for a scale that weights or level cannot take."""
    found = list(coefficients(table, options))
    facts = found[0][-1]
    return {
        "group": group,
        "n_items": facts.n_items,
        "n_raters": facts.n_raters,
        "n_ratings": facts.n_ratings,
        "n_single_rated": facts.n_single_rated,
        "missing": 1 - facts.n_ratings / (facts.n_items * facts.n_raters),
        "coefficients": [
            {"coefficient": name, "weights": weights, "level": level, **numbers(one)}
            for name, weights, level, one in found
        ],
    }


def coefficients(
    table: RatingTable, options: dict[str, Any]
) -> Iterator[tuple[str, str | None, str | None, Agreement]]:
    """Name, weights or level, and what it came to."""
    how = {"categories": options["scale"], "confidence": options["confidence"]}
    resamples = RESAMPLES if options["bootstrap"] is None else options["bootstrap"]
    drawn = {"resamples": resamples, "seed": options["seed"]}
    weights = options["weights"]
    for name in options["coefficient"] or NAMES:
        if options["bootstrap"] is not None:
            found = bootstrap(name, table.ratings, weights=weights, **how, **drawn)
        else:
            formula = getattr(agreement, name)
            found = formula(table.ratings, weights=weights, se=options["se"], **how)
        yield name, weights, None, found
    if options["level"]:
        found = krippendorff_alpha(table.ratings, level=options["level"], **how, **drawn)
        yield "krippendorff_alpha", None, options["level"], found


def numbers(found: Agreement) -> dict[str, Any]:
    kept = "value", "se", "ci_low", "ci_high", "p_value", "observed", "expected"
    told = asdict(found)
    return {key: told[key] for key in (*kept, "undefined_reason", "note")}


def describe(group: dict[str, Any], options: dict[str, Any]) -> str:
    facts = _(
        "items: %(n_items)s, raters: %(n_raters)s, ratings: %(n_ratings)s; missing: %(missing)s; "
        "items with a single rating: %(n_single_rated)s"
    ) % {**group, "missing": f"{group['missing']:.0%}"}
    head = f"{options['by']} {group['group']}: {facts}" if options["by"] else facts
    interval = _("%(confidence)s interval") % {"confidence": f"{options['confidence']:.0%}"}
    lines = [head, f"{'':<36}{_('value'):>9}{_('SE'):>9}  {interval:<20}{_('p'):>9}"]
    lines += [describe_one(one) for one in group["coefficients"]]
    notes = dict.fromkeys(one["note"] for one in group["coefficients"] if one["note"])
    return "\n".join([*lines, *(f"  {note}" for note in notes)])


def describe_one(one: dict[str, Any]) -> str:
    name = f"{one['coefficient']}, {one['weights'] or one['level'] + ' metric'}"
    if one["value"] is None:
        return f"{name:<36}{'–':>9}  {one['undefined_reason']}"
    span = "–" if one["ci_low"] is None else f"{one['ci_low']:.4f} to {one['ci_high']:.4f}"
    se = "–" if one["se"] is None else f"{one['se']:.4f}"
    p = "–" if one["p_value"] is None else f"{one['p_value']:.2g}"
    return f"{name:<36}{one['value']:>9.4f}{se:>9}  {span:<20}{p:>9}"
