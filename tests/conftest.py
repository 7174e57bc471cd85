from pathlib import Path

import pytest
from pytest_django import Settings

from tests import environment

environment.prepare()


@pytest.fixture
def shared_data() -> Path:
    """The published files beside the repository."""
    if not environment.SHARED_DATA.is_dir():
        pytest.skip(f"the published data are not in {environment.SHARED_DATA}")
    return environment.SHARED_DATA


@pytest.fixture(autouse=True)
def cheap_passwords(settings: Settings) -> None:
    """Hash passwords in no time: tests make many accounts."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
