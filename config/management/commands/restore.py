from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backup.errors import BackupError, said_of_files
from config.backup.restoring import restore_backup
from config.management.base import byte_counter

AS_IT_WAS = "Nothing was changed."


class Command(BaseCommand):
    help = "Put what `backup` saved into this database and the folder of uploaded files."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="an archive made by `backup`")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace what the database and the folder of uploaded files hold, for good",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with said_of_files(options["file"], then=AS_IT_WAS), byte_counter() as progress:
                path: Path = options["file"].resolve()
                notes = restore_backup(path, replace=options["replace"], progress=progress)
        except BackupError as error:
            raise CommandError(str(error)) from error
        for note in notes:
            self.stderr.write(note, ending="\n")
        self.stdout.write(f"Restored {path}. Everything in it was checked and is in place.")
