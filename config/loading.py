from importlib import import_module

from django.conf import settings

from studies.registering import load_registering


def load_pages() -> None:
    """What only pages need, before a process is copied or takes its first request."""
    load_registering()
    import_module(settings.ROOT_URLCONF)
