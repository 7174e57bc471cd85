from django.urls import URLPattern, URLResolver, include, path

from marketplace.protocol.views import endpoint

urlpatterns: list[URLPattern | URLResolver] = [
    path("mturk", endpoint),
    path("mturk/", endpoint, name="mturk"),
    path("", include("marketplace.site.urls")),
]
