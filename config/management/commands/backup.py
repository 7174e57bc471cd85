from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backup.errors import BackupError, megabytes, said_of_files
from config.backup.making import files_not_there, make_backup
from config.management.base import byte_counter

NOT_IN_IT = (
    "It holds the whole database and the uploaded files: keep it as safe as those. The settings "
    "(.env, with FABULA_SECRET_KEY) are not in it; keep them apart."
)
FILES_NAMED = 3
NOT_MADE = "No backup was made."


class Command(BaseCommand):
    help = "Write the database and the uploaded files into one archive, checked by hashes."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="the archive; must not exist")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with said_of_files(options["file"], then=NOT_MADE), byte_counter() as progress:
                path: Path = options["file"].resolve()
                size = make_backup(path, progress)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{path}  {megabytes(size)}")
        if missing := files_not_there():
            self.stderr.write(self.style.WARNING(warning(missing)))
        self.stderr.write(NOT_IN_IT, ending="\n")


def warning(missing: Sequence[str]) -> str:
    named = ", ".join(missing[:FILES_NAMED])
    more = ", …" if len(missing) > FILES_NAMED else ""
    return (
        f"Not in it: {len(missing):,} of the uploaded files that jobs name, for they are not in "
        f"{settings.MEDIA_ROOT}: {named}{more}. Unless somebody removed them, set FABULA_VAR as "
        "it is set for the site and take the backup again."
    )
