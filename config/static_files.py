"""Static files from the web processes themselves."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse

if TYPE_CHECKING:

    class WhiteNoiseMiddleware:
        """The part of whitenoise, which has no types, that is used here."""

        files: dict[str, Any]

        def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None: ...
        def __call__(self, request: HttpRequest) -> HttpResponse: ...
        def add_files(self, root: str, prefix: str | None = None) -> None: ...
        def add_files_from_finders(self) -> None: ...
else:
    from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Serves what collectstatic gathered where it has run, and each app's own files where not."""

    def add_files(self, root: str, prefix: str | None = None) -> None:
        if Path(root).is_dir():
            super().add_files(root, prefix)
