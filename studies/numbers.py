"""Numbers as people of the page's language write them."""

from decimal import Decimal

from django.utils.formats import number_format


def rounded(value: float | Decimal, digits: int) -> str:
    """With so many decimals; `number_format` by itself cuts off what is more. 0 has no sign."""
    return number_format(f"{value:z.{digits}f}", digits)
