from functools import cache
from urllib.parse import urlencode

from django.urls import reverse

# Looked up once: the names of routes without parameters.
address = cache(reverse)


def address_with_token(name: str, token: str) -> str:
    return f"{address(name)}?{urlencode({'token': token}, safe=':')}"
