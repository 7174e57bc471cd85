"""What every page in the marketplace's frame shares: headers, and plain words for a dead end."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.core.handlers.exception import response_for_exception
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import http_date
from django.utils.translation import gettext_lazy as _

from studies.frames import FrameRefused

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

logger = logging.getLogger(__name__)
View = Callable[..., HttpResponse]
NOWHERE = "max-age=0, no-cache, no-store, must-revalidate, private"


@dataclass(frozen=True)
class Sentence:
    title: "StrOrPromise"
    message: "StrOrPromise"
    status: int


SENTENCES = {
    "link": Sentence(
        _("This link is not valid"),
        _("Open the task from the list of tasks. If it happens again, return it there."),
        403,
    ),
    "stale": Sentence(
        _("This task is not yours any more"),
        _("It was returned, or its time ran out. Accept another one from the list of tasks."),
        410,
    ),
    "over": Sentence(
        _("The time for this task has run out"),
        _("Accept another one from the list of tasks."),
        410,
    ),
    "given_back": Sentence(
        _("You returned this task"),
        _("Accept another one from the list of tasks."),
        410,
    ),
    "late": Sentence(
        _("The time for this task has run out"),
        _(
            "It could not be submitted, and it is not paid. Accept another task of this kind: "
            "while this story still needs someone, you get it back with your text."
        ),
        409,
    ),
    "returned": Sentence(
        _("You returned this task"),
        _(
            "So it could not be submitted, and it is not paid. Accept another task of this kind: "
            "while this story still needs someone, you get it back with your text."
        ),
        409,
    ),
    "done": Sentence(
        _("You have submitted this task"),
        _("It has arrived, and it counts. Find the next one in the list of tasks."),
        200,
    ),
    "unknown": Sentence(
        _("This task is not known here"),
        _("Find another one in the list of tasks, and return this one there."),
        404,
    ),
    "long": Sentence(
        _("This is too long"),
        _("It was not taken. Go back, shorten your text and submit it again."),
        413,
    ),
    "trouble": Sentence(
        _("This cannot be done right now"),
        _(
            "Something is not working on our side, and it was noted. What was saved before is "
            "kept. Go back and try again in a minute."
        ),
        503,
    ),
    "unsent": Sentence(
        _("Your answer did not arrive in time"),
        _(
            "The marketplace did not receive it before the time ran out, so it is not paid yet. "
            "Accept another task of this kind: while this story still needs someone, "
            "your answer is sent with it and nothing has to be written again."
        ),
        409,
    ),
}


def framed(view: View) -> View:
    """Allow the marketplace's sites, and nobody else, to frame the page and to receive its form.

    What goes wrong is told on a page that shows in the frame, too: a browser hides one that does
    not allow it.
    """

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except Exception as error:
            response = _say_what_is_wrong(request, error)
        return dress(response)

    wrapper.dress = dress  # type: ignore[attr-defined]
    return wrapper


def keep_nowhere(response: HttpResponse) -> None:
    """What Django's `add_never_cache_headers` comes to on a page that says nothing of it itself."""
    response.headers["Cache-Control"] = NOWHERE
    response.headers["Expires"] = http_date()


def dress(response: HttpResponse) -> HttpResponse:
    keep_nowhere(response)
    origins = " ".join(settings.MTURK_SUBMIT_ORIGINS)
    response.csp_overrides = {  # type: ignore[attr-defined]
        "frame-ancestors": origins,
        "form-action": f"'self' {origins}",
    }
    response.xframe_options_exempt = True
    return response


def _say_what_is_wrong(request: HttpRequest, error: Exception) -> HttpResponse:
    match error:
        case FrameRefused():
            return say(request, "link")
        case Http404():
            return say(request, "unknown")
        case RequestDataTooBig() | TooManyFieldsSent():
            return say(request, "long")
        case DatabaseError():
            logger.exception("a page of a task could not be shown")
            return say(request, "trouble")
    # Logged, reported and worded as everywhere.
    return response_for_exception(request, error)


def say(
    request: HttpRequest, code: str, *, submit_origin: str = "", kept: bool = False
) -> HttpResponse:
    sentence = SENTENCES[code]
    context = {
        "title": sentence.title,
        "message": sentence.message,
        "kept": kept,
        "done": code == "done",
        "submit_origin": submit_origin,
    }
    return render(request, "task/unavailable.html", context, status=sentence.status)
