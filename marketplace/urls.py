from importlib import import_module

from django.urls import URLPattern, URLResolver, include, path

from marketplace.protocol.views import endpoint, home

# Registers the operations of the requester protocol: here, for commands answer no requests.
import_module("marketplace.operations")

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home, name="home"),
    path("mturk", endpoint),
    path("mturk/", endpoint, name="mturk"),
    path("", include("marketplace.site.urls")),
]
