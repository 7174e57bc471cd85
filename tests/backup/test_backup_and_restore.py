"""What `backup` saves, `restore` puts back: all of it or nothing."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from config.backup import archive as archives
from config.backup import database, programs
from config.backup.archive import Writer
from config.embedded.layout import BASE_DIR
from studies.models import Job, Study
from tests.backup.conftest import MakeSite, Site
from tests.studies import factories as make
from tests.studies.frames import address

UPLOAD = "stories/0123.csv"
pytestmark = pytest.mark.timeout(180)


def fill(site: Site) -> None:
    with site.use():
        make.make_round(stories=3)
    (site.media / "stories").mkdir(parents=True)
    (site.media / UPLOAD).write_text("title,sentence\n")


def backup(site: Site, file: Path) -> Path:
    with site.use():
        call_command("backup", file)
    return file


def restore(site: Site, file: Path, *options: str) -> None:
    with site.use():
        call_command("restore", file, *options)


@pytest.fixture(scope="module")
def source(make_lasting_site: MakeSite) -> Site:
    """Read by many tests, changed by none."""
    site = make_lasting_site()
    fill(site)
    return site


@pytest.fixture(scope="module")
def archive(source: Site) -> Path:
    return backup(source, source.media.parent / "archive.fabula")


@pytest.fixture
def saved(archive: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(archive, tmp_path / "saved.fabula"))


@pytest.fixture(scope="module")
def bystander(make_lasting_site: MakeSite) -> Site:
    """Every refusal leaves it as it is."""
    return make_lasting_site()


def test_a_database_that_holds_no_site_is_not_saved(make_site: MakeSite, tmp_path: Path) -> None:
    """As in a shell that does not see DATABASE_URL."""
    file = tmp_path / "empty.fabula"

    with pytest.raises(CommandError, match="DATABASE_URL"):
        backup(make_site(with_tables=False), file)

    assert list(tmp_path.glob("*.fabula*")) == []


@pytest.mark.parametrize("with_tables", [True, False])
def test_a_backup_restores_every_row_and_file_to_another_database(
    source: Site, saved: Path, make_site: MakeSite, with_tables: bool
) -> None:
    target = make_site(with_tables=with_tables)

    restore(target, saved)

    assert len(source.rows()["studies_story"]) == 3
    assert target.rows() == source.rows()
    assert (target.media / UPLOAD).read_text() == "title,sentence\n"


def ask(site: Site, statements: str) -> list[tuple[Any, ...]]:
    """What the last statement says."""
    with closing(psycopg2.connect(site.url)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute(statements)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def reader(make_site: MakeSite) -> Iterator[str]:
    """A role that makes figures of its own."""
    name = f"reader_{secrets.token_hex(4)}"
    server = make_site(with_tables=False)
    ask(server, f"CREATE ROLE {name}")
    yield name
    ask(server, f"DROP ROLE {name}")


def test_roles_may_afterwards_what_they_might_before(
    source: Site, saved: Path, make_site: MakeSite, reader: str
) -> None:
    target = make_site()
    ask(
        target,
        f"""
        GRANT SELECT ON studies_story, studies_story_id_seq TO {reader};
        GRANT UPDATE ON studies_story TO {reader} WITH GRANT OPTION;
        GRANT SELECT (id, slug) ON studies_study TO {reader};
        GRANT SELECT ON studies_round TO PUBLIC;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {reader};
        """,
    )
    allowed = """
        SELECT relname, relacl::text, (SELECT array_agg(attacl::text ORDER BY attnum)
            FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL)
        FROM pg_class c WHERE relacl IS NOT NULL AND relnamespace = 'public'::regnamespace
            AND relname IN ('studies_story', 'studies_story_id_seq', 'studies_round')
        UNION SELECT 'public', nspacl::text, NULL FROM pg_namespace WHERE nspname = 'public'
        UNION SELECT 'default', defaclacl::text, NULL FROM pg_default_acl ORDER BY 1
        """
    before = ask(target, allowed)

    restore(target, saved, "--replace")

    after = {name: (whole, columns) for name, whole, columns in ask(target, allowed)}
    assert len(before) == len(after) == 5
    assert after["public"] == before[1][1:]
    for name, whole, columns in before:
        lost = set(whole.strip("{}").split(",")) - set(after[name][0].strip("{}").split(","))
        # What the default privileges add since does no harm.
        assert not {entry for entry in lost if reader not in entry}, name
        assert after[name][1] == columns
    rights = ("studies_story", "SELECT"), ("studies_story", "UPDATE WITH GRANT OPTION")
    for table, right in (*rights, ("studies_slot", "SELECT")):
        asked = f"SELECT has_table_privilege('{reader}', '{table}', '{right}')"
        assert ask(target, asked) == [(True,)]
    ask(target, f"DROP OWNED BY {reader}")


def test_an_extension_of_the_servers_administrator_is_left_alone(
    make_site: MakeSite, tmp_path: Path
) -> None:
    """To make one takes a superuser, which a site is not: to drop it was to fail."""
    source, target = make_site(), make_site()
    found = ask(source, "SELECT name FROM pg_available_extensions WHERE name <> 'plpgsql'")
    if not found:
        pytest.skip("This PostgreSQL has no extension.")
    for site in (source, target):
        ask(site, f'CREATE EXTENSION "{found[0][0]}" CASCADE')
    which = "SELECT oid, extname FROM pg_extension ORDER BY 1"
    before = ask(target, which)

    restore(target, backup(source, tmp_path / "saved.fabula"), "--replace")

    assert ask(target, which) == before
    assert target.rows() == source.rows()


def test_what_else_is_in_the_database_is_replaced(saved: Path, make_site: MakeSite) -> None:
    target = make_site()
    ask(
        target,
        """
        CREATE SEQUENCE alone;
        CREATE VIEW counts AS SELECT count(*) FROM studies_story;
        CREATE MATERIALIZED VIEW kept AS SELECT * FROM counts;
        CREATE TYPE mood AS ENUM ('well');
        CREATE DOMAIN title AS text;
        CREATE TABLE parted (id int) PARTITION BY RANGE (id);
        CREATE TABLE part PARTITION OF parted DEFAULT;
        CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT 2 * $1';
        CREATE AGGREGATE all_twice(int) (SFUNC = int4pl, STYPE = int);
        """,
    )

    restore(target, saved, "--replace")

    names = "relname FROM pg_class WHERE relname IN ('alone', 'counts', 'kept', 'parted')"
    types = "typname FROM pg_type WHERE typname IN ('mood', 'title')"
    routines = "proname FROM pg_proc WHERE proname IN ('twice', 'all_twice')"
    assert ask(target, f"SELECT {names} UNION SELECT {types} UNION SELECT {routines}") == []


def test_a_restored_site_serves_a_workers_draft(make_site: MakeSite, tmp_path: Path) -> None:
    source, target = make_site(), make_site()
    browser = Client()
    with source.use():
        round = make.make_round()
        frame = make.make_frame(make.free_slot(round), worker_id="A1RESTORED")
        page = browser.get(address(round, frame))
        text = {"assertion": "The visitor is expected."}
        token = re.search(r'name="token" value="([^"]+)"', page.content.decode())
        assert token
        body = {"token": token[1], "fields": text, "revision": 1}
        kept = browser.post(reverse("task-draft"), json.dumps(body), "application/json")
    assert kept.status_code == 200

    restore(target, backup(source, tmp_path / "saved.fabula"))

    with target.use():
        again = browser.get(address(round, frame))
    assert "The visitor is expected." in again.content.decode()


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Something that people do before the dump has read anything."""
    dump = database.dump

    def later(*asked: Any) -> Iterator[bytes]:
        happens()
        yield from dump(*asked)

    monkeypatch.setattr(database, "dump", later)


def make_job_of(file: str) -> None:
    Job.objects.create(kind="import_stories", study=Study.objects.get(), payload={"file": file})


def test_a_file_that_comes_before_the_dump_is_read_is_in_the_backup_as_its_job_is(
    make_site: MakeSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = make_site(), make_site()
    fill(source)

    def upload() -> None:
        (source.media / "stories/late.csv").write_text("late")
        make_job_of("stories/late.csv")

    meanwhile(monkeypatch, upload)

    restore(target, backup(source, tmp_path / "saved.fabula"))

    assert (target.media / "stories/late.csv").read_text() == "late"
    with target.use():
        assert Job.objects.get().payload == {"file": "stories/late.csv"}


def test_files_that_jobs_name_and_that_are_not_there_are_named(
    make_site: MakeSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with another FABULA_VAR than the site's."""
    source = make_site()
    fill(source)
    there, *gone = ({"file": f, "name": "mine.csv"} for f in (UPLOAD, *"abcd"))
    with source.use():
        for payload in (there, gone[0], {"files": gone[1:3]}, {"gold": gone[3]}, {"file": "x"}):
            Job.objects.create(kind="import_stories", study=Study.objects.get(), payload=payload)

    file = backup(source, tmp_path / "saved.fabula")

    assert file.exists()
    said = capsys.readouterr().err
    assert "Not in it: 4 of the uploaded files" in said
    assert f"not in {source.media}: d, b, c, …. Unless" in said
    assert "set FABULA_VAR as it is set for the site" in said


def test_a_file_that_goes_meanwhile_is_missed_when_a_job_names_it(
    make_site: MakeSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make_site()
    fill(source)
    other = source.media / "stories/other.csv"
    other.write_text("nobody's")
    with source.use():
        make_job_of(UPLOAD)

    meanwhile(monkeypatch, lambda: other.unlink(missing_ok=True))
    first = backup(source, tmp_path / "first.fabula")
    with tarfile.open(first) as tar:
        assert [name for name in tar.getnames() if name.startswith("files/")] == [f"files/{UPLOAD}"]

    meanwhile(monkeypatch, lambda: (source.media / UPLOAD).unlink(missing_ok=True))
    with pytest.raises(CommandError, match="0123.csv was removed .* Take the backup again"):
        backup(source, tmp_path / "second.fabula")
    assert not (tmp_path / "second.fabula").exists()


def test_the_archive_is_for_its_owner_alone_and_holds_no_settings(archive: Path) -> None:
    assert archive.stat().st_mode & 0o777 == 0o600
    with tarfile.open(archive) as tar:
        names = tar.getnames()
        manifest = json.load(tar.extractfile("manifest.json") or pytest.fail("no manifest"))
    assert names == ["database.dump", f"files/{UPLOAD}", "manifest.json", "manifest.sha256"]
    assert manifest["format"] == 1
    assert manifest["postgresql"] >= 14
    assert "studies.0001_initial" in manifest["migrations"]
    assert os.environ["FABULA_SECRET_KEY"].encode() not in archive.read_bytes()


def test_a_database_with_rows_is_refused_unless_it_may_be_replaced(
    source: Site, saved: Path, make_site: MakeSite
) -> None:
    target = make_site()
    fill(target)
    (target.media / "stories/old.csv").write_text("old")
    before = target.rows()

    with pytest.raises(CommandError, match="not empty.*--replace"):
        restore(target, saved)
    assert target.rows() == before

    restore(target, saved, "--replace")
    assert target.rows() == source.rows()
    assert [path.name for path in target.media.rglob("*.csv")] == ["0123.csv"]


def test_a_table_that_the_archive_does_not_know_is_gone_after_a_replacement(
    source: Site, saved: Path, make_site: MakeSite
) -> None:
    target = make_site()
    with psycopg2.connect(target.url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE later (study bigint REFERENCES studies_study)")
    connection.close()

    restore(target, saved, "--replace")

    assert target.rows() == source.rows()


def test_a_database_in_use_is_left_alone(saved: Path, bystander: Site) -> None:
    connection = psycopg2.connect(bystander.url)

    refused(saved, bystander, "1 connections")
    connection.close()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.999])
def test_a_flipped_bit_is_found_before_anything_is_touched(
    saved: Path, bystander: Site, share: float
) -> None:
    content = bytearray(saved.read_bytes())
    size = len(content.rstrip(b"\0"))
    content[int(size * share)] ^= 1
    saved.write_bytes(content)

    refused(saved, bystander, "damaged")


@pytest.mark.parametrize("left", [0, 100, 0.3, 0.9])
def test_a_truncated_archive_is_refused_by_name(saved: Path, bystander: Site, left: float) -> None:
    size = saved.stat().st_size
    os.truncate(saved, int(left if left >= 1 else size * left))

    refused(saved, bystander, "saved.fabula is damaged")


def refused(file: Path, target: Site, why: str) -> None:
    before = target.rows()
    with pytest.raises(CommandError, match=why):
        restore(target, file)
    assert target.rows() == before
    assert not list(target.media.rglob("*.*"))


def rewrite(file: Path, *, added: str = "", **facts: Any) -> None:
    """The same archive, rightly sealed, with other facts in its manifest or a member more."""
    found = archives.open_archive(file, lambda what, count: None)
    other = file.with_name("other")
    with other.open("w+b") as target:
        writer = Writer(target)
        for name in (archives.DUMP, *found.file_names):
            writer.add(name, facts.pop(name, None) or found.chunks(name))
        if added:
            writer.add(added, [b"planted"])
        known = {name: found.manifest[name] for name in ("postgresql", "programs", "migrations")}
        writer.close(known | facts)
    other.replace(file)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"migrations": {"studies.9999_later": ""}}, "newer Fabula.*studies.9999_later"),
        ({"format": 2}, "archive format 2"),
        ({"postgresql": 99}, "PostgreSQL 99"),
        ({"programs": 99}, "of PostgreSQL 99 or newer were found"),
        ({archives.DUMP: [b"PGDMP no dump"]}, "could not be read"),
    ],
)
def test_what_cannot_be_restored_here_is_refused_with_the_reason(
    saved: Path, bystander: Site, facts: dict[str, Any], why: str
) -> None:
    rewrite(saved, **facts)

    refused(saved, bystander, why)


@pytest.mark.parametrize("place", ["files/{}", "files/../{}", "files/stories/../../{}", "files/"])
def test_an_archive_that_names_a_place_outside_the_folder_of_files_is_refused(
    saved: Path, bystander: Site, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside.txt"
    rewrite(saved, added=place.format(outside))

    refused(saved, bystander, "is damaged: it names the place files/")

    assert not outside.exists()


def test_a_link_that_leads_out_of_the_folder_of_files_is_not_followed(
    saved: Path, make_site: MakeSite, tmp_path: Path
) -> None:
    target, outside = make_site(), tmp_path / "outside"
    outside.mkdir()
    target.media.mkdir()
    (target.media / "stories").symlink_to(outside)

    refused(saved, target, f"files/{UPLOAD} of .* would be written outside")

    assert not list(outside.iterdir())


def test_an_older_archive_asks_for_migrate(
    saved: Path, make_site: MakeSite, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(saved, migrations={"contenttypes.0001_initial": "0" * 64})

    restore(make_site(), saved)

    said = capsys.readouterr().err
    assert "run manage.py migrate" in said
    assert "contenttypes.0001_initial differently" in said


def test_a_backup_from_before_a_migration_was_written_anew_is_refused(
    make_site: MakeSite, bystander: Site, tmp_path: Path
) -> None:
    former = make_site()
    fill(former)
    with former.use(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE marketplace_worker DROP COLUMN unread_messages")
    file = backup(former, tmp_path / "former.fabula")

    refused(file, bystander, "is as it was.*lacks marketplace_worker.unread_messages, which this")


def test_what_a_killed_restore_left_is_no_file_of_the_site(
    saved: Path, make_site: MakeSite
) -> None:
    target = make_site()
    part = target.media / f"{UPLOAD}.part"
    part.parent.mkdir(parents=True)
    part.touch()

    restore(target, saved)

    assert [path.name for path in part.parent.iterdir()] == [Path(UPLOAD).name]


def test_a_full_disk_leaves_no_half_of_a_file(
    saved: Path, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    target = make_site()
    monkeypatch.setattr("config.backup.restoring.os.fsync", full)

    refused(saved, target, "no space left on device. Nothing was changed")


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_name_that_no_file_can_have_is_said_in_a_sentence(
    bystander: Site, tmp_path: Path, command: str
) -> None:
    with bystander.use(), pytest.raises(CommandError, match="file name too long"):
        call_command(command, tmp_path / ("a" * 300))


def test_the_file_that_cannot_be_read_is_named(
    source: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, *arguments: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)

    with source.use(), pytest.raises(CommandError, match=f"{UPLOAD} could not be read"):
        call_command("backup", tmp_path / "file")

    assert not list(tmp_path.iterdir())


def test_an_error_late_in_the_dump_leaves_database_and_files_as_they_were(
    saved: Path, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = make_site()
    fill(target)
    (target.media / UPLOAD).rename(target.media / "stories/own.csv")
    before = target.rows()
    monkeypatch.setattr(database, "COMMIT", "SELECT 1 / 0;\nCOMMIT;\n")

    with pytest.raises(CommandError, match="is as it was.*division by zero"):
        restore(target, saved, "--replace")

    assert target.rows() == before
    assert [path.name for path in target.media.rglob("*.*")] == ["own.csv"]


def test_a_file_that_exists_is_not_overwritten(source: Site, saved: Path) -> None:
    content = saved.read_bytes()

    with pytest.raises(CommandError, match="exists already"):
        backup(source, saved)

    assert saved.read_bytes() == content


def test_a_full_disk_is_said_before_and_leaves_nothing(
    source: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)

    with pytest.raises(CommandError, match="0 MB are free"):
        backup(source, tmp_path / "new.fabula")

    assert not list(tmp_path.glob("new*"))


def test_programs_that_are_too_old_are_said_in_a_sentence(
    source: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = (programs.Tools(Path("/nowhere"), 9),)
    monkeypatch.setattr(programs, "_installed", lambda: old)

    with pytest.raises(CommandError, match="No pg_dump, pg_restore and psql"):
        backup(source, tmp_path / "new.fabula")


def test_a_backup_killed_halfway_leaves_no_file_of_that_name(
    make_site: MakeSite, tmp_path: Path
) -> None:
    site = make_site()
    upload = tmp_path / "files" / "large"
    upload.parent.mkdir()
    with upload.open("wb") as sparse:
        sparse.truncate(300_000_000)
    file, part = tmp_path / "killed.fabula", tmp_path / "killed.fabula.part"
    process = subprocess.Popen(
        [sys.executable, "manage.py", "backup", str(file)],
        cwd=BASE_DIR,
        env=dict(os.environ) | {"DATABASE_URL": site.url, "FABULA_VAR": str(tmp_path)},
    )
    while not part.exists() or part.stat().st_size < 1_000_000:
        assert process.poll() is None
        time.sleep(0.01)

    process.send_signal(signal.SIGKILL)
    process.wait()

    assert part.exists()
    assert not file.exists()
    backup(site, file)
    assert file.exists()
    assert not part.exists()
