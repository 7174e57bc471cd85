from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.management.base import StudyCommand, progress_bar
from studies.services.stories import import_stories
from studies.story_files import AUTO, FORMAT_NAMES


class Command(StudyCommand):
    help = "Bring the stories of a file into a study: all of them, or none when anything is wrong."
    format_option = "--output-format"
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--format",
            choices=FORMAT_NAMES,
            default=AUTO,
            help="the file's format (default: judged by its first row)",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen and store nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        path: Path = options["file"]
        try:
            with path.open("rb") as source, progress_bar("bytes") as progress:
                outcome = import_stories(
                    study=study,
                    source=source,
                    name=path.name,
                    format=options["format"],
                    dry_run=options["dry_run"],
                    progress=progress,
                )
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        report = outcome.as_dict()
        if outcome.ok:
            self.report(report, "\n".join([*_summary(report), *_warnings(report)]), options)
            return
        self.report(report, "\n".join(report["problems"]), options)
        count = outcome.problem_count
        raise CommandError(
            ngettext(
                "Nothing was imported: %(count)s problem.",
                "Nothing was imported: %(count)s problems.",
                count,
            )
            % {"count": f"{count:,}"}
        )


def _summary(report: dict[str, Any]) -> list[str]:
    added, unchanged = report["added"], report["unchanged"]
    numbers = {"added": f"{added:,}", "unchanged": f"{unchanged:,}", "file": report["file"]}
    if report["dry_run"]:
        told = ngettext(
            "%(file)s would add %(added)s story; nothing was stored.",
            "%(file)s would add %(added)s stories; nothing was stored.",
            added,
        )
    elif added:
        told = ngettext(
            "%(file)s: %(added)s story added.", "%(file)s: %(added)s stories added.", added
        )
    else:
        told = _("%(file)s: nothing changed.")
    lines = [told % numbers]
    if unchanged:
        told = ngettext(
            "%(unchanged)s story is there already, with the same text.",
            "%(unchanged)s stories are there already, with the same text.",
            unchanged,
        )
        lines.append(told % numbers)
    if repeated := report["repeated_rows"]:
        told = ngettext(
            "%(rows)s row repeats a story and was counted once.",
            "%(rows)s rows repeat a story and were counted once.",
            repeated,
        )
        lines.append(told % {"rows": f"{repeated:,}"})
    counts = [f"{count} ({n:,})" for count, n in report["sentence_counts"].items()]
    lines.append(_("Sentences a story (stories): %(counts)s") % {"counts": ", ".join(counts)})
    if report["unused_fields"]:
        lines.append(_("Not used: %(fields)s") % {"fields": ", ".join(report["unused_fields"])})
    return lines


def _warnings(report: dict[str, Any]) -> list[str]:
    if not report["warnings"]:
        return []
    heading = ngettext("%(count)s warning:", "%(count)s warnings:", report["warning_count"])
    return [
        heading % {"count": f"{report['warning_count']:,}"},
        *(f"  {line}" for line in report["warnings"]),
    ]
