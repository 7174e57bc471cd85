from math import isfinite
from typing import Any

from rest_framework import serializers


class NumberField(serializers.FloatField):
    """“nan” is a float, and neither below nor above any bound."""

    def to_internal_value(self, data: Any) -> float:
        number: float = super().to_internal_value(data)
        if not isfinite(number):
            self.fail("invalid")
        return number
