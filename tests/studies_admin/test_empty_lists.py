"""A list without rows says what will be in it, and where to begin."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from studies.admin.base import ModelAdmin
from studies.models import Round
from tests.studies.factories import make_study

WITH_WORDS = {
    model._meta.label_lower: of
    for model, of in admin.site._registry.items()
    if isinstance(of, ModelAdmin) and of.empty_title
}


@pytest.mark.parametrize("label", WITH_WORDS)
def test_a_list_that_is_empty_says_what_will_be_in_it(client: Client, label: str) -> None:
    app, _, model = label.partition(".")
    rows = WITH_WORDS[label].model._default_manager.all()
    # Instruments come with the database.
    if rows.exists():
        rows.delete()

    page = client.get(reverse(f"admin:{app}_{model}_changelist")).content.decode()

    assert str(WITH_WORDS[label].empty_title) in page
    assert str(WITH_WORDS[label].empty_text) in page
    assert "Select " not in page.partition("</title>")[0]


def test_a_study_that_has_none_yet_is_no_search_that_found_nothing(
    client: Client, round: Round
) -> None:
    address = reverse("admin:studies_round_changelist")
    of_study = {"study__id__exact": make_study(slug="new", title="A new study").pk}

    page = client.get(address, of_study).content.decode()
    searched = client.get(address, of_study | {"q": "first"}).content.decode()

    assert "No round yet" in page
    assert "Nothing here with these filters" not in page
    assert "No round yet" not in searched
