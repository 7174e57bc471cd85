from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.management.base import StudyCommand, progress_bar
from studies.services.response_import import ResponseImport, import_responses
from studies.services.response_reading import AUTO, FORMATS


class Command(StudyCommand):
    help = "Load a file of responses into a study as a past round: all of it, or nothing."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--file-format",
            choices=FORMATS,
            default=AUTO,
            help="the file's layout (default: judged by its first row)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        path: Path = options["file"]
        try:
            with path.open("rb") as source, progress_bar("rows") as progress:
                outcome = import_responses(
                    study=study,
                    source=source,
                    name=path.name,
                    fmt=options["file_format"],
                    progress=progress,
                )
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        if outcome.ok:
            self.report(outcome.as_dict(), "\n".join(_summary(outcome)), options)
            return
        self.report(outcome.as_dict(), "\n".join(outcome.problem_lines()), options)
        count = outcome.problem_count
        raise CommandError(
            ngettext(
                "Nothing was imported: %(count)s problem.",
                "Nothing was imported: %(count)s problems.",
                count,
            )
            % {"count": f"{count:,}"}
        )


def _summary(outcome: ResponseImport) -> list[str]:
    numbers = {
        "file": outcome.file,
        "added": f"{outcome.added:,}",
        "unchanged": f"{outcome.unchanged:,}",
        "stories": f"{outcome.stories_added:,}",
        "rounds": ", ".join(map(str, outcome.rounds)),
        "participants": f"{outcome.participants_left_out:,}",
    }
    lines = [_("%(file)s: nothing changed.")]
    if outcome.added:
        added = ngettext(
            "%(file)s: %(added)s response added as round %(rounds)s.",
            "%(file)s: %(added)s responses added as round %(rounds)s.",
            outcome.added,
        )
        lines = [added]
    if outcome.unchanged:
        unchanged = ngettext(
            "%(unchanged)s is there already, with the same content.",
            "%(unchanged)s are there already, with the same content.",
            outcome.unchanged,
        )
        lines.append(unchanged)
    if outcome.stories_added:
        stories = ngettext(
            "%(stories)s story came in, too.",
            "%(stories)s stories came in, too.",
            outcome.stories_added,
        )
        lines.append(stories)
    if outcome.participants_left_out:
        left_out = ngettext(
            "%(participants)s row names a participant. Imported responses have no worker.",
            "%(participants)s rows name a participant. Imported responses have no worker.",
            outcome.participants_left_out,
        )
        lines.append(left_out)
    return [line % numbers for line in lines]
