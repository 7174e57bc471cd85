"""A plot leaves the page as a file for a paper, the same whether the page is light or dark."""

from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import sync_playwright

from tests.browser import launch
from tests.stack import Stack
from tests.studies.factories import make_round
from tests.studies_admin.responses import make_response

pytestmark = pytest.mark.browser


def test_a_plot_is_saved_in_the_colours_of_paper(stack: Stack) -> None:
    with stack.django():
        study = make_response(make_round()).assignment.task.round.study
        address = reverse("admin:studies_study_figures", args=[study.pk])
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
            page.locator("#submissions svg").wait_for()
            with page.expect_download() as download:
                page.locator("[data-save=submissions]").click()
            assert download.value.suggested_filename == f"{study.slug}-submissions.svg"
            saved.append(download.value.path().read_text(encoding="utf-8"))
        browser.close()

    assert ElementTree.fromstring(saved[0]).tag == "{http://www.w3.org/2000/svg}svg"
    assert "Responses" in saved[0]
    assert saved[0] == saved[1]
