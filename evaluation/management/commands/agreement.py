from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from evaluation.file_agreement import REFUSALS, agreement_of, in_lines
from evaluation.rating_file import RatingColumns, Ways, number_of, read_scale
from stats.choices import COEFFICIENT_NAMES, LEVELS, STANDARD_ERRORS, WEIGHTS
from studies.management.base import ReportCommand


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
        asked = {
            key: options[key]
            for key in ("weights", "level", "se", "confidence", "bootstrap", "seed")
        }
        path: Path = options["file"]
        try:
            ways = Ways(
                read_scale(options["scale"]),
                coefficients=tuple(options["coefficient"] or ()),
                **asked,
            )
            with path.open("rb") as source:
                found = agreement_of(source, name=path.name, columns=columns, ways=ways)
        except OSError as error:
            raise CommandError(
                _("%(file)s cannot be read: %(reason)s.") % {"file": path, "reason": error.strerror}
            ) from error
        except REFUSALS as refusal:
            raise CommandError(str(refusal)) from refusal
        self.report(found, in_lines(found), options)


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
        choices=COEFFICIENT_NAMES,
        help="this one alone; may be given again (default: all)",
    )
    parser.add_argument(
        "--level",
        choices=LEVELS,
        help="Krippendorff's alpha by his metric of this level of measurement, too",
    )
    parser.add_argument(
        "--se",
        choices=STANDARD_ERRORS,
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
