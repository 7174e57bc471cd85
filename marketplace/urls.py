from django.urls import URLPattern, URLResolver, path

from marketplace.protocol.views import endpoint

urlpatterns: list[URLPattern | URLResolver] = [
    path("mturk", endpoint),
    path("mturk/", endpoint, name="mturk"),
]
