#!/usr/bin/env python
"""Fabula's command line. Every command works by itself on the embedded services."""

import os
import sys

# These need neither database nor broker.
WITHOUT_SERVICES = {"help", "version", "makemessages", "compilemessages"}
# As of a program that Ctrl-C ends.
STOPPED = 130
HELP = {"-h", "--help", "--version"}


def needs_services(arguments: list[str]) -> bool:
    return (
        bool(arguments)
        and arguments[0] not in WITHOUT_SERVICES
        and not HELP.intersection(arguments)
    )


def is_utf8(text: str) -> bool:
    """Neither the database nor the audit log could keep another."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from config import embedded
    from config.demo.environment import adopt_demo_settings

    if garbled := next((text for text in sys.argv if not is_utf8(text)), ""):
        sys.exit(f"{garbled!a} is not in UTF-8.")
    if not needs_services(sys.argv[1:]):
        execute_from_command_line(sys.argv)
        return
    adopt_demo_settings()
    try:
        services = embedded.join()
    except embedded.ServiceError as error:
        sys.exit(str(error))
    with services:
        run_and_record(sys.argv)


def run_and_record(arguments: list[str]) -> None:
    """Run the command; what can change the data is written into the audit log, failed or not."""
    from django.apps import apps
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    outcome = "stopped"
    try:
        execute_from_command_line(arguments)
        outcome = ""
    except SystemExit as end:
        outcome = f"exit status {end.code}" if end.code else ""
        raise
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(STOPPED)
    except BrokenPipeError:
        # Who reads what we say wants no more of it, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (OperationalError, ProgrammingError) as error:
        from config.unmigrated import explain

        if reason := explain(error):
            sys.exit(reason)
        raise
    finally:
        if apps.ready:
            from config.audit import record_command

            record_command(arguments[1:], outcome=outcome)


if __name__ == "__main__":
    main()
