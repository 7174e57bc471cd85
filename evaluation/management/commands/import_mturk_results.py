from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.instruments.declaration import Declaration
from evaluation.result_files.errors import BadMap, BadResults
from evaluation.result_files.mapping import ColumnMap, read_map, usual_map
from evaluation.services.importing import ImportSummary, Reading, import_results
from evaluation.services.instruments import UnknownInstrument, find_instrument
from evaluation.strict_json import BadJson, read_json
from studies.management.base import StudyCommand, progress_bar

LONGEST_SYSTEM = 100


class Command(StudyCommand):
    help = "Import the ratings of a batch result file of MTurk: all of it, or nothing."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--instrument", required=True, metavar="NAME", help="what was asked")
        parser.add_argument(
            "--system", required=True, metavar="NAME", help="the system whose outputs were rated"
        )
        parser.add_argument(
            "--rival", default="", metavar="NAME", help="the second system, where pairs were rated"
        )
        parser.add_argument(
            "--map", type=Path, metavar="FILE", help="JSON that names columns (docs/evaluation.md)"
        )
        parser.add_argument(
            "--reverse",
            action="append",
            default=[],
            metavar="QUESTION",
            help="its options stand in the reverse order in the file; may be given again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        system, rival = options["system"].strip(), options["rival"].strip()
        if not 0 < len(system) <= LONGEST_SYSTEM or len(rival) > LONGEST_SYSTEM:
            raise CommandError(
                f"--system is a name of 1 to {LONGEST_SYSTEM} characters, and so is --rival."
            )
        try:
            instrument = find_instrument(options["instrument"])
            map = map_from(options["map"], instrument.declared)
            with options["file"].open("rb") as source, progress_bar("ratings") as progress:
                summary = import_results(
                    study=study,
                    source=source,
                    name=options["file"].name,
                    reading=Reading(instrument, system, map, options["reverse"], rival),
                    progress=progress,
                )
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be read: {error.strerror}.") from error
        except (BadResults, UnknownInstrument) as refusal:
            raise CommandError(f"{refusal} " + _("Nothing was imported.")) from refusal
        self.report(summary.as_dict(), describe(summary), options)


def map_from(path: Path | None, declared: Declaration) -> ColumnMap:
    """Raises BadMap and OSError."""
    if path is None:
        return usual_map(declared)
    try:
        data = read_json(path.read_bytes())
    except BadJson as error:
        raise BadMap(f"{path}: {error}") from error
    return read_map(data, declared)


def describe(summary: ImportSummary) -> str:
    lines = [
        _("Imported for %(system)s: %(ratings)s ratings of %(items)s items by %(raters)s raters.")
        % {
            "ratings": f"{summary.ratings:,}",
            "items": f"{summary.items:,}",
            "raters": f"{summary.raters:,}",
            "system": " · ".join(filter(None, [summary.system, summary.rival])),
        }
    ]
    if summary.left_out:
        lines.append(
            ngettext(
                "%(count)s rejected assignment was left out.",
                "%(count)s rejected assignments were left out.",
                summary.left_out,
            )
            % {"count": f"{summary.left_out:,}"}
        )
    for question, read in summary.columns.items():
        columns = read["columns"]
        names = columns if isinstance(columns, str) else f"{columns[0]} … {columns[-1]}"
        turned = _(" (reversed)") if read["reversed"] else ""
        lines.append(f"{question}: {names}{turned}")
    return "\n".join(lines)
