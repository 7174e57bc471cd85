"""The study at one look."""

import csv
import json
import re
from datetime import UTC, datetime
from html import unescape
from io import StringIO

from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from studies.figures.theme import STYLES, colours, config
from studies.models import AssignmentState, ResponseState, Round, Study
from tests.studies.factories import make_round, make_study
from tests.studies_admin.conftest import StaffClient
from tests.studies_admin.responses import make_response


def address(study: Study) -> str:
    return reverse("admin:studies_study_figures", args=[study.pk])


def rows_of(client: Client, study: Study, slug: str) -> list[list[str]]:
    answer = client.get(reverse("admin:studies_study_figure_rows", args=[study.pk, slug]))
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.reader(StringIO(answer.content.decode(), newline="")))


def test_numbers_and_plots_come_from_the_rows(client: Client, round: Round) -> None:
    monday, tuesday = (datetime(2026, 11, day, 12, tzinfo=UTC) for day in (23, 24))
    for at, minutes in ((monday, 5), (tuesday, 3), (tuesday, 10)):
        make_response(
            round, submitted_at=at, minutes=minutes, assignment_state=AssignmentState.APPROVED
        )
    make_response(round, state=ResponseState.UNCONFIRMED)

    page = client.get(address(round.study)).content.decode()

    assert "of 8 wanted" in page
    assert "3 responses on 2 days; most came on 24 Nov 2026: 2." in unescape(page)
    # 0.35 dollars, three times, and the fee of a fifth.
    assert "$1.26" in page
    assert "$4.20" in page
    assert rows_of(client, round.study, "submissions") == [
        ["day", "responses"],
        ["2026-11-23", "1"],
        ["2026-11-24", "2"],
    ]
    head, row = rows_of(client, round.study, "hourly-pay")
    assert dict(zip(head, row, strict=True)) == {
        "round": f"Round {round.number}",
        "responses": "3",
        "low": "2.8",
        "median": "4.2",
        "high": "5.25",
    }


def test_what_a_plot_shows_is_in_its_specification(client: Client, round: Round) -> None:
    make_response(round)

    page = client.get(address(round.study)).content.decode()

    found = re.search(r'<script id="figure-specs"[^>]*>(.*?)</script>', page)
    assert found
    specs = json.loads(found[1])
    assert set(specs) >= {"submissions", "hourly-pay"}
    assert specs["submissions"]["data"]["values"][0]["responses"] == 1
    dollars = re.findall(r'"format": "(\$.*?)"', json.dumps(specs["hourly-pay"]))
    assert set(dollars) == {"$,.2f"}


def test_a_study_without_responses_says_what_will_appear(client: Client, study: Study) -> None:
    page = client.get(address(study)).content.decode()

    assert "The first responses appear here." in page
    assert "no budget set" in page
    assert "vega" not in page
    assert rows_of(client, study, "submissions") == [["day", "responses"]]


def test_an_unknown_plot_and_another_study_are_not_found(
    client: Client, staff_client: StaffClient, study: Study
) -> None:
    researcher = staff_client("studies.view_study")
    other = make_study()

    assert client.get(address(study) + "nothing.csv").status_code == 404
    assert researcher.get(address(study)).status_code == 200
    assert researcher.get(address(other)).status_code == 404
    assert researcher.get(address(other) + "submissions.csv").status_code == 404
    assert staff_client("studies.view_round").get(address(study)).status_code == 403


def test_more_rounds_cost_no_more_queries(
    client: Client, study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(6):
        make_response(make_round(study))

    with django_assert_max_num_queries(14):
        client.get(address(study))


def test_plots_wear_the_colours_of_the_pages() -> None:
    assert set(STYLES.values()) <= set(colours("light"))
    assert config("light")["style"] != config("dark")["style"]
    assert config("light")["style"]["state"]["color"] == "#2f69bd"
