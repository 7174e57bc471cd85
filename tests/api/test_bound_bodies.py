import pytest
from django.conf import settings

from studies.models import Study
from tests.api.conftest import API, Site

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("deep", [900, 100_000])
def test_a_body_nested_deeply_is_refused_and_logged(
    site: Site, deep: int, caplog: pytest.LogCaptureFixture
) -> None:
    body = "[" * deep + "]" * deep

    answer = site.client("researcher").post(
        f"{API}/studies/", body, content_type="application/json"
    )

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["detail"] == "What was sent is nested too deeply."
    assert [one.message for one in caplog.records if one.exc_info] == ["A request went too deep"]


def test_a_body_larger_than_any_form_is_refused(site: Site) -> None:
    long = "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    body = {"slug": "long", "title": "Long", "consent_text": long}

    answer = site.client("researcher").post(
        f"{API}/studies/", body, content_type="application/json"
    )

    assert answer.status_code == 413
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["detail"] == "This is more than can be sent."
    assert not Study.objects.filter(slug="long").exists()
