from django.contrib.messages import middleware
from django.contrib.messages.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject, empty


class MessageMiddleware(middleware.MessageMiddleware):
    """Opens the storage for who leaves or shows a message: most requests do neither."""

    def process_request(self, request: HttpRequest) -> None:
        storage = SimpleLazyObject(lambda: default_storage(request))
        request._messages = storage  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        storage = getattr(request, "_messages", None)
        is_unopened = isinstance(storage, SimpleLazyObject) and storage._wrapped is empty
        return response if is_unopened else super().process_response(request, response)
