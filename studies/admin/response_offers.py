"""What rooms above can do with a response: each fills this with a button of the response's page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from studies.models import Response


@dataclass(frozen=True)
class Offer:
    """A button that posts to `address`."""

    words: Any
    address: str


# None where this person cannot do it, or not with this response.
MakeOffer = Callable[[HttpRequest, Response], Offer | None]

_offers: list[MakeOffer] = []


def register(offer: MakeOffer) -> None:
    _offers.append(offer)


def offers_for(request: HttpRequest, response: Response) -> list[Offer]:
    return [found for offer in _offers if (found := offer(request, response)) is not None]
