from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularJSONAPIView

from config.api.page import show
from studies.api.problems import not_found

urlpatterns = [
    path("", show, name="api-page"),
    path("openapi.json", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("", include("studies.api.urls")),
    path("", include("annotation.api.urls")),
    path("", include("modeling.api.urls")),
    path("", include("evaluation.api.urls")),
    re_path("", not_found, name="api-nothing"),
]
