"""Who is asking."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import http_date

from marketplace.models import Worker

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
NOWHERE = "max-age=0, no-cache, no-store, must-revalidate, private"
WorkerView = Callable[Concatenate[HttpRequest, Worker, P], HttpResponse]


def current_worker(request: HttpRequest) -> Worker | None:
    return getattr(request.user, "worker", None)


def worker_required(view: WorkerView[P]) -> View[P]:
    """Give the view the signed-in worker.

    Signed-out people are asked to sign in and brought back (to the list after a POST, which is
    not repeated for them); an account that is not a worker's is told how it becomes one.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        worker = current_worker(request)
        if worker is not None:
            response = view(request, worker, *args, **kwargs)
            # Nobody who uses this browser next finds it there, by "Back" or otherwise.
            response.headers["Cache-Control"] = NOWHERE
            response.headers["Expires"] = http_date()
            return response
        if request.user.is_authenticated:
            return redirect("worker-start")
        back = request.get_full_path() if request.method == "GET" else reverse("worker-list")
        return redirect(f"{reverse('worker-sign-in')}?{urlencode({'next': back})}")

    return cast(View[P], checked)
