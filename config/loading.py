from django.urls import reverse

from studies.registering import load_registering


def load_pages() -> None:
    """What only pages need, before a process is copied or takes its first request: their modules,
    and which name is at which address."""
    load_registering()
    reverse("admin:index")
