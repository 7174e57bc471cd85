"""What a release is made by: shares of the splits, what a test row has to be, the files' layout."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Self

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Split
from annotation.releases.splits import DEFAULT_RATIOS, BadRatios, Ratios
from studies.services.response_layout import OWN, PUBLISHED

LAYOUTS = (PUBLISHED, OWN)


class TestFrom(models.TextChoices):
    __test__ = False

    ANY = "any", gettext_lazy("Any accepted response")
    REVIEWED = "expert-reviewed", gettext_lazy("Responses that experts judged correct")


@dataclass(frozen=True)
class ReleaseRule:
    ratios: Ratios = DEFAULT_RATIOS
    test_from: TestFrom = TestFrom.ANY
    layout: str = PUBLISHED

    def as_dict(self) -> dict[str, Any]:
        shares = zip(Split.values, self.ratios, strict=True)
        return {
            "ratios": {name: str(share) for name, share in shares},
            "test_from": self.test_from.value,
            "layout": self.layout,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        ratios = Ratios(*(Decimal(stored["ratios"][name]) for name in Split.values))
        return cls(ratios, TestFrom(stored["test_from"]), stored["layout"])


def read_ratios(text: str) -> Ratios:
    """Three numbers for training, validation and test, such as `.8,.12,.08`. Raises BadRatios."""
    parts = text.split(",")
    try:
        train, validation, test = (Decimal(part.strip()) for part in parts)
    except (InvalidOperation, ValueError) as error:
        raise BadRatios(
            _("Give three numbers for training, validation and test, such as .8,.12,.08.")
        ) from error
    return Ratios(train, validation, test)
