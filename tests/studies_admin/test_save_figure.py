"""A plot leaves the page as a file for a paper, the same whether the page is light or dark."""

from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from playwright.sync_api import sync_playwright

from modeling.models import Point, Run, RunState
from tests.browser import launch
from tests.modeling.running import make_release, make_run, runs_folder
from tests.stack import Stack
from tests.studies.factories import make_round
from tests.studies_admin.responses import make_response

__all__ = ["runs_folder"]
pytestmark = pytest.mark.browser


def test_a_plot_is_saved_in_the_colours_of_paper(stack: Stack) -> None:
    with stack.django():
        study = make_response(make_round()).assignment.task.round.study
        address = reverse("admin:studies_study_figures", args=[study.pk])
    name = f"{study.slug}-submissions.svg"
    saved = saved_plot(stack, address, "#submissions", name)

    assert ElementTree.fromstring(saved).tag == "{http://www.w3.org/2000/svg}svg"
    assert "Responses" in saved


@pytest.mark.usefixtures("runs_folder")
def test_the_curves_of_a_run_are_saved_as_other_plots_are(stack: Stack) -> None:
    with stack.django():
        run = make_run(make_release())
        Run.objects.filter(pk=run.pk).update(state=RunState.DONE, finished_at=Now())
        Point.objects.create(run=run, step=1, phase="train", values={"loss": 0.5})
        address = reverse("admin:modeling_run_change", args=[run.pk])
    saved = saved_plot(stack, address, "#run-curve", f"run-{run.pk}-curves.svg")

    assert ElementTree.fromstring(saved).tag == "{http://www.w3.org/2000/svg}svg"
    assert "loss" in saved


def saved_plot(stack: Stack, address: str, drawing: str, name: str) -> str:
    """The file, which is the same from a light page and a dark one."""
    with stack.django():
        client = Client()
        client.force_login(User.objects.create_superuser("ada", "", "a-long-password"))
    cookies = [(cookie.key, cookie.value) for cookie in client.cookies.values()]
    saved = []
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for scheme in ("light", "dark"):
            context = browser.new_context(color_scheme=scheme)
            context.add_cookies(
                [{"name": k, "value": v, "url": stack.task_site_url} for k, v in cookies]
            )
            page = context.new_page()
            page.goto(stack.task_site_url + address)
            page.locator(f"{drawing} svg").wait_for()
            with page.expect_download() as download:
                page.locator(".st-plot", has=page.locator(drawing)).locator("[data-save]").click()
            assert download.value.suggested_filename == name
            saved.append(download.value.path().read_text(encoding="utf-8"))
        browser.close()

    assert saved[0] == saved[1]
    return saved[0]
