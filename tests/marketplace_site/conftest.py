from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from marketplace.models import Worker
from tests.marketplace_site.people import browser_of, make_signed_up


@pytest.fixture(autouse=True)
def own_cache(settings: Settings) -> Iterator[None]:
    """Counts of sign-in attempts that no other test shares."""
    settings.CACHES = settings.CACHES | {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    }
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def worker(db: None) -> Worker:
    return make_signed_up("ada")


@pytest.fixture
def browser(worker: Worker) -> Client:
    """A browser in which `worker` is signed in."""
    return browser_of(worker)
