import pytest
from pytest_django import Settings

from annotation.management.commands.seed_demo import seed_requester
from marketplace.ids import new_secret
from marketplace.models import AccessKey

pytestmark = pytest.mark.django_db


def test_secrets_that_begin_with_a_dash_are_no_options(settings: Settings) -> None:
    settings.MTURK_ACCESS_KEY_ID = "A" * 20
    settings.MTURK_SECRET_ACCESS_KEY = "-secret-" + "a" * 32
    settings.MTURK_SIGNING_SECRET = "-signs-" + "b" * 32

    seed_requester()
    seed_requester()

    key = AccessKey.objects.select_related("requester").get()
    assert key.secret_access_key == settings.MTURK_SECRET_ACCESS_KEY
    assert key.requester.signing_secret == settings.MTURK_SIGNING_SECRET


def test_a_new_secret_can_be_an_argument_of_a_command() -> None:
    assert all(new_secret().isalnum() for _ in range(100))
