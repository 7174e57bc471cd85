"""What an admin's list makes once for all of its rows."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.test import Client
from django.urls import reverse
from unfold.admin import checkbox
from unfold.templatetags import unfold_list

from studies.models import Round
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db


def test_headers_are_made_once_for_all_rows(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    studies = [make_study() for _ in range(12)]
    asked: list[str] = []
    label_for_field = unfold_list.label_for_field

    def counted(name: str, *args: Any, **kwargs: Any) -> Any:
        asked.append(name)
        return label_for_field(name, *args, **kwargs)

    monkeypatch.setattr(unfold_list, "label_for_field", counted)
    page = admin_client.get(reverse("admin:studies_study_changelist")).content.decode()

    assert all(study.title in page for study in studies)
    assert len(asked) == len(set(asked)) > 2


def test_the_checkbox_is_the_one_that_unfold_makes() -> None:
    row = Round(pk=4711)
    made = admin.site._registry[Round].action_checkbox(row)
    assert made == checkbox.render(ACTION_CHECKBOX_NAME, "4711")
