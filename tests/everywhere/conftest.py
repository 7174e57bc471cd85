import pytest
from django.conf import settings
from django.test.utils import override_settings

from tests.everywhere.visits import Visit, visit_everything
from tests.everywhere.world import make_world

# Ends a script, an attribute and a line; a browser that took it for code would run it.
HOSTILE = "</script><script data-evil>\"' data-evil='javascript:\u2028"
OWN_CACHE = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "everywhere"}
_visits: list[Visit] = []


@pytest.fixture
def visits(db: None, monkeypatch: pytest.MonkeyPatch) -> list[Visit]:
    """Every page there is, on a site whose every text is hostile; gone to once for all tests."""
    if not _visits:
        monkeypatch.setattr("studies.mturk.grant_qualification", lambda *ids: None)
        with override_settings(CACHES=settings.CACHES | {"default": OWN_CACHE}):
            _visits.extend(visit_everything(make_world(HOSTILE)))
    return _visits
