"""What registers itself when it is loaded: kinds of jobs, and what a study's page shows.

Rooms name these modules when they start. Who reads a registry loads them first; most commands never
do, and start the sooner.
"""

from importlib import import_module

_modules: list[str] = []


def register_when_asked(*modules: str) -> None:
    _modules.extend(modules)


def load_registering() -> None:
    """In the order named. A module that another thread is loading just now is waited for."""
    for module in _modules:
        import_module(module)
