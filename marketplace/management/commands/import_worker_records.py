import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from marketplace.services.worker_records import RecordsNotUsable, import_worker_records

MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Enter workers' earlier records and countries from a CSV file (UTF-8) with the columns "
        "worker_id, approved, rejected, country, subdivision, source. All or nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *args: Any, **options: Any) -> str:
        path: Path = options["file"]
        try:
            with path.open(encoding="utf-8-sig", newline="") as lines:
                done = import_worker_records(lines=lines)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{path} is not UTF-8 (byte {error.start}).") from error
        except RecordsNotUsable as error:
            shown = error.problems[:MOST_SHOWN]
            more = len(error.problems) - len(shown)
            tail = [f"And {more} more."] if more else []
            raise CommandError("\n".join([*shown, *tail, "Nothing was changed."])) from error
        if options["format"] == "json":
            return json.dumps(asdict(done))
        return f"Changed: {done.changed}. Already so: {done.unchanged}."
