from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.management.base import find_release
from annotation.models import Release
from annotation.releases.exporting import ExportRefused, export_release
from annotation.releases.verifying import verify_release
from studies.management.base import StudyCommand, progress_bar


class Command(StudyCommand):
    help = (
        "Write the files of a release to a folder: JSON lines and Parquet for each split, dataset "
        "card, Croissant description, statistics and the list of all rows."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("release", metavar="RELEASE", help="the release's name, such as v1")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--output", metavar="DIR", type=Path)
        what.add_argument(
            "--verify",
            action="store_true",
            help="write nothing; hash the rows again and compare",
        )
        parser.add_argument("--force", action="store_true", help="replace an existing folder")

    def handle(self, *args: Any, **options: Any) -> None:
        release = find_release(self.find_study(options["study"]), options["release"])
        if options["verify"]:
            self.verify(release, options)
        else:
            self.export(release, options)

    def verify(self, release: Release, options: dict[str, Any]) -> None:
        with progress_bar("rows") as progress:
            outcome = verify_release(release=release, progress=progress)
        if not outcome.ok:
            raise CommandError(
                f"The rows of {release} are not what they were when it was made: their hash is "
                f"{outcome.found}, the release's {outcome.expected}."
            )
        text = _("All %(rows)s rows of %(release)s are what they were. sha256 %(hash)s")
        numbers = {"rows": f"{outcome.rows:,}", "release": release, "hash": outcome.found}
        self.report(outcome.as_dict(), text % numbers, options)

    def export(self, release: Release, options: dict[str, Any]) -> None:
        try:
            with progress_bar("rows") as progress:
                outcome = export_release(
                    release=release,
                    folder=options["output"],
                    force=options["force"],
                    progress=progress,
                )
        except ExportRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        text = _("%(release)s written to %(folder)s: %(files)s.") % {
            "release": release,
            "folder": outcome.folder,
            "files": ", ".join(outcome.files),
        }
        self.report(outcome.as_dict(), text, options)
