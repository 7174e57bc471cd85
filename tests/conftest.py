import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from pytest_django import DjangoDbBlocker, Settings

from tests import environment

environment.prepare()

# Django's settings come from the environment above.
from django.db import connections  # noqa: E402
from django.test import TransactionTestCase  # noqa: E402

from config.static_files import StaticFilesMiddleware  # noqa: E402
from tests import scheduling  # noqa: E402
from tests.databases import migrated_database  # noqa: E402
from tests.emptying import empty_tables  # noqa: E402
from tests.stack import Stack  # noqa: E402

# A property is not wrong because the machine is busy.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: scheduling.place_of(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return scheduling.ByModule(config, log)


@pytest.fixture
def shared_data() -> Path:
    """The published files beside the repository."""
    if not environment.SHARED_DATA.is_dir():
        pytest.skip(f"the published data are not in {environment.SHARED_DATA}")
    return environment.SHARED_DATA


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Let the tests' own database begin as a migrated one."""
    connections["default"].settings_dict["TEST"]["TEMPLATE"] = migrated_database()


@pytest.fixture(scope="session", autouse=True)
def emptied_quickly() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TransactionTestCase, "_fixture_teardown", empty_tables)
        yield


@pytest.fixture(scope="session", autouse=True)
def static_files_found_once() -> Iterator[None]:
    """Each test's client loads the middleware, which would look for some 400 files each time: an
    eighth of what ordinary tests took."""
    look, found = StaticFilesMiddleware.add_files_from_finders, dict[str, Any]()

    def add(middleware: StaticFilesMiddleware) -> None:
        if not found:
            gathered, middleware.files = middleware.files, {}
            look(middleware)
            found.update(middleware.files)
            middleware.files = gathered
        middleware.files.update(found)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(StaticFilesMiddleware, "add_files_from_finders", add)
        yield


@pytest.fixture(autouse=True)
def cheap_passwords(settings: Settings) -> None:
    """Hash passwords in no time: tests make many accounts."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def own_cache(settings: Settings) -> None:
    """Counts and figures that no other test finds, in this process or the one beside it."""
    default = settings.CACHES["default"] | {"KEY_PREFIX": secrets.token_hex(8)}
    settings.CACHES = settings.CACHES | {"default": default}


@pytest.fixture(scope="session")
def running_stack(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Stack]:
    with Stack(folder=tmp_path_factory.mktemp("stack"), blocker=django_db_blocker) as stack:
        yield stack


@pytest.fixture
def stack(running_stack: Stack) -> Stack:
    """Web, worker and beat on an empty database of their own; see tests/stack.py."""
    running_stack.empty()
    return running_stack
