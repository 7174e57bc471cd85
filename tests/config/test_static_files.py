import warnings
from pathlib import Path

from django.http import HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from config.static_files import StaticFilesMiddleware


def test_a_checkout_without_gathered_files_starts_without_a_warning(
    settings: Settings, tmp_path: Path
) -> None:
    settings.STATIC_ROOT = tmp_path / "never-gathered"

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = Client().get("/static/css/tokens.css")

    assert answer.status_code == 200


def test_gathered_files_are_served(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "only-here.css").write_text("p {}")
    settings.STATIC_ROOT = tmp_path

    site = StaticFilesMiddleware(lambda request: HttpResponse(status=404))
    answer = site(RequestFactory().get("/static/only-here.css"))

    assert answer.status_code == 200


def test_the_admin_loads_no_library_for_plots_that_it_does_not_draw() -> None:
    answer = Client().get("/static/unfold/js/chart/chart.js")

    assert int(answer.headers["Content-Length"]) < 1000
    assert "Vega-Lite" in b"".join(answer).decode()
