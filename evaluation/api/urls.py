from django.urls import path

from evaluation.api import lineage, rating_rounds

ROUNDS = "studies/<slug:study>/evaluation-rounds/"
urlpatterns = [
    path(ROUNDS, rating_rounds.RatingRoundsView.as_view(), name="api-evaluation-rounds"),
    path(
        f"{ROUNDS}estimate/",
        rating_rounds.RatingEstimateView.as_view(),
        name="api-evaluation-estimate",
    ),
    path(
        f"{ROUNDS}<int:number>/raters/",
        rating_rounds.RatersView.as_view(),
        name="api-evaluation-raters",
    ),
    path("studies/<slug:study>/ratings/", lineage.RatingsView.as_view(), name="api-ratings"),
    path(
        "studies/<slug:study>/ratings/<int:rating>/lineage/",
        lineage.LineageView.as_view(),
        name="api-lineage",
    ),
]
