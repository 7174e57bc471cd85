"""The environment of the tests: services and data of their own, settings of their own.

Called while pytest loads its first conftest, before Django reads its settings.
"""

import os
import sys
from pathlib import Path

import django

from config import embedded
from config.embedded.layout import BASE_DIR
from config.loading import load_pages

SHARED_DATA = BASE_DIR.parent / "shared" / "data"
# A developer's own settings must not leak into the tests.
FOREIGN = ("FABULA_", "MTURK_", "MARKETPLACE_", "CELERY_")
KEPT = "FABULA_VAR"
TEST_SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "CELERY_TASK_ALWAYS_EAGER": "true",
    "DATABASE_CONN_MAX_AGE": "0",
    # Threads of PyTorch and numpy wait for one another, at work, while other tests hold the cores.
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "passive",
    "FABULA_SECRET_KEY": "the-tests-secret-key-" + "0" * 40,
    "MTURK_ACCESS_KEY_ID": "TESTACCESSKEYID00000",
    "MTURK_SECRET_ACCESS_KEY": "test-secret-access-key-" + "0" * 20,
    "MTURK_SIGNING_SECRET": "test-signing-secret-" + "0" * 20,
}

_services: list[embedded.Services] = []


def prepare(*, durable: bool = False) -> None:
    """Join services kept for tests and set Django up; a worker of xdist inherits them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        var = Path(os.environ.get(KEPT) or BASE_DIR / "var") / "test"
        for name in [name for name in os.environ if name.startswith(FOREIGN)]:
            del os.environ[name]
        os.environ |= TEST_SETTINGS | {KEPT: str(var)}
        # The tests start many processes: what one has compiled, others need not compile again.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        # Held until this process ends. Nothing of a test outlives a loss of power.
        _services.append(embedded.join(durable=durable))
    django.setup()
    load_pages()
