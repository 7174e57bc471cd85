"""The pages that any address may answer with; none may need a request or the database."""

import re

import pytest
from django.template.loader import render_to_string


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "429", "500", "503"])
def test_an_error_page_says_what_happened_and_leads_on(name: str) -> None:
    page = render_to_string(f"{name}.html")

    (heading,) = re.findall(r"<h1>(.+)</h1>", page)
    assert f"<title>{heading} · Fabula</title>" in page
    assert re.search(r"<p>[A-Z].+\.</p>", page)
    assert '<a class="button" href="/">To the start page</a>' in page
