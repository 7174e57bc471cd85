"""The embedded services, used and left in every way."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import psycopg2
import pytest
import redis

from config.embedded import Services
from config.embedded import account as accounts
from config.embedded.account import Account
from config.embedded.home import REACHABLE_BASES
from config.embedded.layout import Layout
from config.embedded.postgres import postgres_answers
from tests.config.users import User, alive, eventually, pid_of, python_for, query

ALL = ["owner", "postgres", "valkey"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as someone else")


def test_six_users_at_once_share_one_pair_of_servers(var: Path) -> None:
    users = [User(var) for _ in range(6)]

    postmasters = {user.query("SELECT pg_postmaster_start_time()") for user in users}
    brokers = {user.urls["REDIS_URL"] for user in users if user.broker().ping()}

    assert len(postmasters) == len(brokers) == 1
    for user in users[1:]:
        user.end()
    assert alive(var) == ALL
    users[0].end()
    assert eventually(lambda: alive(var) == [])


def test_the_servers_speak_through_private_sockets_and_want_a_password(used_var: Path) -> None:
    user = User(used_var)
    sockets = Path(user.query("SHOW unix_socket_directories"))

    assert sockets.stat().st_mode & 0o777 == 0o700
    assert user.query("SHOW listen_addresses") == ""
    assert user.query("SHOW max_connections") == "300"
    with pytest.raises(psycopg2.OperationalError, match="password"):
        psycopg2.connect(host=str(sockets), user="fabula", password="guess", dbname="fabula")
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(unix_socket_path=str(sockets / "valkey.sock")).ping()
    user.end()


def test_data_and_queued_jobs_survive_a_kill_of_the_only_user(used_var: Path) -> None:
    first = User(used_var)
    number = keep_a_number(first)
    first.broker().lpush("queue", "job")

    first.end(signal.SIGKILL)

    assert eventually(lambda: alive(used_var) == [])
    second = User(used_var)
    assert second.query("SELECT number FROM kept") == number
    assert second.broker().lrange("queue", 0, -1) == [b"job"]
    second.end()


def test_a_restart_right_after_sigterm_finds_the_data(used_var: Path) -> None:
    user = User(used_var)
    number = keep_a_number(user)
    for _ in range(3):
        user.end(signal.SIGTERM)
        user = User(used_var)

        assert user.query("SELECT number FROM kept") == number
    user.end()


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGHUP])
def test_what_a_terminal_sends_to_one_user_leaves_the_others_alone(
    used_var: Path, kind: signal.Signals
) -> None:
    first = User(used_var)
    assert first.urls
    second = User(used_var)
    assert second.urls

    first.end(kind)

    assert second.query("SELECT 1") == 1
    assert alive(used_var) == ALL
    second.end()


def test_a_long_path_with_spaces_is_fine(var: Path) -> None:
    folder = var / "a folder with 'spaces', commas and \"quotes\"" / ("long " * 20) / "var"
    user = User(folder)

    assert user.query("SELECT 1") == 1
    assert user.broker().ping()
    assert Path(user.query("SHOW data_directory")).is_relative_to(folder)

    user.end()
    assert eventually(lambda: alive(folder) == [])


def test_killed_servers_come_back_under_the_same_addresses(used_var: Path) -> None:
    user = User(used_var)
    number = keep_a_number(user)
    postgres, valkey = pid_of(used_var, "postgres"), pid_of(used_var, "valkey")

    os.kill(postgres, signal.SIGKILL)
    os.kill(valkey, signal.SIGKILL)

    def back() -> bool:
        try:
            user.broker().ping()
            return bool(user.query("SELECT number FROM kept") == number)
        except (psycopg2.OperationalError, redis.ConnectionError):
            return False

    assert eventually(back)
    assert pid_of(used_var, "postgres") != postgres
    user.end()


def test_whoever_keeps_the_services_starts_an_owner_as_often_as_one_is_killed(
    used_var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("FABULA_VAR", str(used_var))
    with Services(durable=False) as services:
        for _kill in range(5):
            _kill_owner(used_var)
            assert eventually(lambda: "owner" not in alive(used_var))
            services.keep()
            assert eventually(lambda: alive(used_var) == ALL)
            assert eventually(lambda: postgres_answers(services.urls["DATABASE_URL"]))


def test_after_a_kill_of_the_owner_the_next_user_starts_another(used_var: Path) -> None:
    first = User(used_var)
    number = keep_a_number(first)

    _kill_owner(used_var)
    second = User(used_var)

    assert second.query("SELECT number FROM kept") == number
    assert first.query("SELECT number FROM kept") == number
    first.end()
    second.end()


def test_pid_files_that_name_other_processes_do_not_matter(var: Path) -> None:
    user = User(var)
    data = Path(user.query("SHOW data_directory"))
    sockets = Path(user.query("SHOW unix_socket_directories"))
    user.end()
    assert eventually(lambda: alive(var) == [])
    account = accounts.of_folder(data)
    assert account is not None
    bystander = subprocess.Popen(["/bin/sleep", "60"], **account.popen_options())
    sockets.mkdir(mode=0o700)
    account.owns(sockets)
    for left in (data / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"):
        left.write_text(f"{bystander.pid}\n{data}\n0\n5432\n{sockets}\n\n0 0\nready\n")
    (var / "owner" / "postgres.pid").write_text(f"{bystander.pid}\n")

    user = User(var)

    assert user.query("SELECT 1") == 1
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
    user.end()


def test_a_half_made_cluster_is_made_anew(var: Path) -> None:
    half = var / "servers" / "postgres.part"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")

    user = User(var)

    assert user.query("SELECT 1") == 1
    user.end()


def test_a_service_that_is_named_is_not_embedded(var: Path) -> None:
    named = "postgresql://someone@database.invalid/fabula"
    user = User(var, DATABASE_URL=named)

    assert user.urls["DATABASE_URL"] == named
    assert user.broker().ping()
    assert alive(var) == ["owner", "valkey"]
    user.end()


def test_nothing_is_started_when_both_services_are_named(var: Path) -> None:
    user = User(var, DATABASE_URL="postgresql://database.invalid/x", REDIS_URL="redis://x.invalid")

    assert user.urls["REDIS_URL"] == "redis://x.invalid"
    assert not var.exists()
    user.end()


def test_the_owner_leaves_when_its_folder_is_taken_away(var: Path) -> None:
    user = User(var)
    postgres = pid_of(var, "postgres") if user.urls else 0

    var.rename(var.with_name("taken"))

    assert eventually(lambda: not Path(f"/proc/{postgres}").exists())
    user.end()


@as_root
def test_as_root_the_servers_run_under_another_account(used_var: Path) -> None:
    user = User(used_var)
    assert user.urls

    for server in ("postgres", "valkey"):
        assert Path(f"/proc/{pid_of(used_var, server)}").stat().st_uid != 0
    user.end()


@as_root
def test_an_ordinary_account_runs_the_servers_itself(var: Path) -> None:
    ordinary = Account("nobody", 65534, 65534, switch=True)
    if python_for(ordinary) is None:
        pytest.skip("an ordinary account can reach no Python, or not this folder")
    var.mkdir()
    ordinary.owns(var)

    user = User(var, account=ordinary)

    assert query(user.urls["DATABASE_URL"], "SELECT 1") == 1
    for server in ("postgres", "valkey"):
        assert Path(f"/proc/{pid_of(var, server)}").stat().st_uid == ordinary.uid
    user.end()


@as_root
def test_below_a_private_folder_the_data_go_where_the_account_can_reach(var: Path) -> None:
    private = Path(tempfile.mkdtemp(prefix="fabula-private-", dir="/tmp"))
    folder = private / "var"
    user = User(folder)
    data = Path(user.query("SHOW data_directory"))

    said = user.end()

    assert eventually(lambda: alive(folder) == [])
    assert private.stat().st_mode & 0o777 == 0o700
    assert any(data.is_relative_to(base) for base in REACHABLE_BASES)
    assert str(data.parent) in said
    again = User(folder)
    assert again.query("SHOW data_directory") == str(data)
    again.end()
    assert eventually(lambda: alive(folder) == [])
    shutil.rmtree(private)
    shutil.rmtree(data.parent)


def keep_a_number(user: User) -> int:
    """Another each time: what earlier tests kept is never taken for it."""
    number = secrets.randbits(30)
    user.query(f"DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT {number} AS number")
    return number


def _kill_owner(var: Path) -> None:
    """The owner's lock is held by no other process: find who has the file open."""
    wanted = Layout(var).owner_lock.stat()
    for fds in Path("/proc").glob("[0-9]*/fd"):
        try:
            open_files = [(fds / name).stat() for name in os.listdir(fds)]
        except OSError:
            continue
        if any(os.path.samestat(wanted, one) for one in open_files):
            os.kill(int(fds.parent.name), signal.SIGKILL)
            return
    raise AssertionError("no owner was found")
