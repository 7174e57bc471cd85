"""The figures of a whole site: what its processes counted is added up, whoever is asked."""

import os
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg2
import pytest
from prometheus_client.mmap_dict import MmapedDict
from psycopg2 import sql
from pytest_django import DjangoDbBlocker

from config.metrics import folder
from tests.addresses import with_path
from tests.config.figures import AUTHORIZED, TOKEN, Figures
from tests.config.users import eventually
from tests.stack import Stack

FAILING = 40
REFUSED = {"step": "external_submit", "outcome": "refused"}


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Stack]:
    with Stack(
        folder=tmp_path_factory.mktemp("metrics"),
        blocker=django_db_blocker,
        processes=("web",),
        settings={"FABULA_METRICS_TOKEN": TOKEN},
    ) as stack:
        yield stack


def scrape(site: Stack) -> Figures:
    request = urllib.request.Request(f"{site.task_site_url}/metrics", headers=AUTHORIZED)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return Figures(answer.read().decode())


def post_nonsense(site: Stack) -> None:
    """An external submit that is refused."""
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{site.worker_site_url}/mturk/externalSubmit", b"assignmentId=X")


def folder_of(site: Stack) -> Path:
    """The one that the site's first process holds."""
    assert site.children is not None
    held = Path(f"/proc/{site.children.running['web'].pid}/fd")
    places = {Path(os.readlink(entry)) for entry in held.iterdir() if entry.is_symlink()}
    [found] = [place for place in places if place.name.startswith(folder.PREFIX)]
    return found


def values_in(file: Path) -> Iterator[tuple[str, float, float, int]]:
    return MmapedDict.read_all_values_from_file(str(file))  # type: ignore[no-any-return,no-untyped-call]


def test_counts_of_both_processes_are_added_up(site: Stack) -> None:
    before = scrape(site).value("fabula_step_seconds_count", **REFUSED)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(post_nonsense, [site] * FAILING))

    after = [scrape(site).value("fabula_step_seconds_count", **REFUSED) for _ in range(6)]

    assert {count - before for count in after} == {FAILING}
    each = [
        sum(value for key, value, *_ in values_in(file) if '"refused"' in key and "_bucket" in key)
        for file in folder_of(site).glob("histogram_*.db")
    ]
    assert len(each) == 2
    assert all(each) and sum(each) == before + FAILING


def test_a_process_that_is_gone_is_not_alive_and_what_it_counted_stays(site: Stack) -> None:
    post_nonsense(site)
    before = scrape(site)
    assert before.value("fabula_web_processes") == 2
    file = next(folder_of(site).glob("gauge_livesum_*.db"))

    os.kill(int(file.stem.rpartition("_")[2]), signal.SIGKILL)

    assert eventually(lambda: not file.exists())
    assert eventually(lambda: scrape(site).value("fabula_web_processes") == 2)
    counted = "fabula_step_seconds_count"
    assert scrape(site).value(counted, **REFUSED) == before.value(counted, **REFUSED)


def test_a_scrape_while_the_database_is_away_says_so(site: Stack) -> None:
    assert scrape(site).value("fabula_database_up") == 1
    let_in(site, False)
    try:
        figures = scrape(site)
    finally:
        let_in(site, True)

    assert "fabula_database_up" in figures.names()
    assert figures.value("fabula_database_up") == 0
    assert figures.value("fabula_broker_up") == 1
    assert figures.value("fabula_web_processes") == 2
    assert "fabula_jobs" not in figures.names()
    assert scrape(site).value("fabula_database_up") == 1


def let_in(site: Stack, allowed: bool) -> None:
    """Let nobody connect to the site's database, and end who is; or let all in again."""
    connection = psycopg2.connect(with_path(site.database_url, "/postgres"))
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}").format(
                sql.Identifier(site.database), sql.Literal(allowed)
            )
        )
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            [site.database],
        )
    connection.close()


def test_what_a_killed_site_left_is_removed_by_the_next_and_what_is_in_use_is_not(
    site: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_use = folder_of(site)
    left = in_use.with_name(f"{folder.PREFIX}left")
    left.mkdir(mode=0o700)
    monkeypatch.setattr(folder, "YOUNG_SECONDS", -1)

    made = folder.make_folder()

    assert not left.exists()
    assert in_use.exists()
    assert made.is_dir() and made.stat().st_mode & 0o777 == 0o700
    made.rmdir()


def test_a_site_that_ends_leaves_nothing(site: Stack) -> None:
    folder_of_it = folder_of(site)

    site.stop("web")

    assert not folder_of_it.exists()
