"""manage.py works by itself, or says in one sentence why not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import ProgrammingError, connection, transaction

from config.embedded.layout import BASE_DIR
from config.unmigrated import explain
from tests.config.users import alive, environment, eventually

SHOW = "from django.db import connection as c; c.ensure_connection(); print(c.vendor)"


def manage(*arguments: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=BASE_DIR,
        env=env,
        capture_output=True,
        text=True,
    )


def test_a_command_starts_the_services_and_leaves_none(var: Path) -> None:
    done = manage("shell", "--no-imports", "-c", SHOW, env=environment(var))

    assert (done.returncode, done.stdout, done.stderr) == (0, "postgresql\n", "")
    assert eventually(lambda: alive(var) == [])


@pytest.mark.parametrize("arguments", [["help"], ["migrate", "--help"], ["--version"], []])
def test_help_needs_no_services(var: Path, arguments: list[str]) -> None:
    done = manage(*arguments, env=environment(var))

    assert done.returncode == 0
    assert not var.exists()


def test_a_failing_command_keeps_its_exit_code_and_ends_the_services(var: Path) -> None:
    done = manage("shell", "--no-imports", "-c", "raise SystemExit(3)", env=environment(var))

    assert done.returncode == 3
    assert eventually(lambda: alive(var) == [])


def test_a_folder_that_cannot_be_one_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = manage("check", env=environment(tmp_path / "file" / "var"))

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"The data folder {tmp_path / 'file' / 'var'} cannot be used" in done.stderr


def test_a_cluster_of_another_version_is_said_in_a_sentence(var: Path) -> None:
    assert manage("check", env=environment(var)).returncode == 0
    assert eventually(lambda: alive(var) == [])
    (var / "servers" / "postgres" / "PG_VERSION").write_text("9\n")

    done = manage("check", env=environment(var))

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "postgres did not start" in done.stderr
    assert os.fspath(var) in done.stderr


def test_a_database_without_tables_is_said_in_a_sentence(var: Path) -> None:
    done = manage("create_study", "evenings", env=environment(var))

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "There is nothing of Fabula in this database" in done.stderr
    assert "DATABASE_URL, or FABULA_VAR" in done.stderr
    assert "manage.py migrate" in done.stderr


def test_a_setting_that_cannot_be_meant_is_said_in_a_sentence(var: Path) -> None:
    done = manage("check", env=environment(var, FABULA_PROXY_COUNT="one"))

    assert done.returncode == 1
    assert done.stderr.startswith("FABULA_PROXY_COUNT is “one”")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["migrate", "backup"])
def test_a_database_that_is_away_is_said_in_a_sentence(var: Path, command: str) -> None:
    away = {"DATABASE_URL": "postgresql://fabula@127.0.0.1:1/x", "REDIS_URL": "redis://127.0.0.1:1"}
    arguments = ["backup", str(var / "file")] if command == "backup" else [command]
    var.mkdir()

    done = manage(*arguments, env=environment(var, **away))

    assert done.returncode == 1
    assert "The database that DATABASE_URL names cannot be used: " in done.stderr
    assert "Connection refused" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_and_a_reader_who_has_read_enough_are_no_errors(var: Path) -> None:
    stop = manage("shell", "--no-imports", "-c", "raise KeyboardInterrupt", env=environment(var))
    enough = manage("shell", "--no-imports", "-c", "raise BrokenPipeError", env=environment(var))

    assert (stop.returncode, stop.stderr) == (130, "Stopped.\n")
    assert (enough.returncode, enough.stderr) == (1, "")


FORGET = (
    "from django.db import connection as c;"
    'c.cursor().execute("CREATE TABLE django_migrations '
    "(id int, app text, name text, applied timestamptz);"
    "INSERT INTO django_migrations VALUES (1, 'auth', '0001_initial', now())\")"
)


def test_a_database_that_lacks_migrations_is_said_in_a_sentence(var: Path) -> None:
    assert manage("shell", "--no-imports", "-c", FORGET, env=environment(var)).returncode == 0

    done = manage("create_study", "evenings", env=environment(var))

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "which this version needs: run manage.py migrate." in done.stderr


def test_a_query_that_is_wrong_itself_keeps_its_traceback(
    db: None,
) -> None:
    with pytest.raises(ProgrammingError) as wrong, transaction.atomic():
        connection.cursor().execute("SELECT 1 FROM no_such_table")

    assert explain(wrong.value) == ""


def test_arguments_that_no_database_keeps_are_said_in_a_sentence(var: Path) -> None:
    done = manage("create_study", "a\udcff", env=environment(var))

    assert (done.returncode, done.stderr) == (1, "'a\\udcff' is not in UTF-8.\n")
    assert not var.exists()
