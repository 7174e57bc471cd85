"""Rated items as reports take them, and rows of them."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from evaluation.models import Item, Rating
from evaluation.reports.rows import Given, RatedItem
from evaluation.services.instruments import find_instrument
from studies.models import Participant, Study, Worker

_pks = count(1)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def rated(*answers: dict[str, Any], system: str = "A", **more: Any) -> RatedItem:
    """An item with the answers of raters 0, 1, 2 and so on, given a minute apart."""
    ratings = tuple(
        Given(next(_pks), rater, given, NOON + timedelta(minutes=rater))
        for rater, given in enumerate(answers)
    )
    return RatedItem(next(_pks), system, ratings, **more)


def each(question: str, *codes: Any) -> list[dict[str, Any]]:
    return [{question: code} for code in codes]


def together(**codes: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Answers to several questions: the codes of rater 0, 1, 2 and so on for each."""
    return [dict(zip(codes, given, strict=True)) for given in zip(*codes.values(), strict=True)]


def make_item(
    study: Study, instrument: str, *answers: dict[str, Any], system: str = "A", **fields: Any
) -> Item:
    """A row with ratings by workers R0, R1, R2 and so on."""
    item = Item.objects.create(
        **{
            "study": study,
            "instrument": find_instrument(instrument),
            "system": system,
            "key": f"item-{next(_pks)}",
            "fields": {"state": "Mira is tired."},
        }
        | fields
    )
    for number, given in enumerate(answers):
        worker, _made = Worker.objects.get_or_create(marketplace_id=f"R{number}")
        rater, _made = Participant.objects.get_or_create(study=study, worker=worker)
        Rating.objects.create(item=item, rater=rater, answers=given, submitted_at=timezone.now())
    return item
