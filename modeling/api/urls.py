from django.urls import path

from modeling.api import runs

RUNS = "studies/<slug:study>/runs/"
RUN = f"{RUNS}<int:run>/"
urlpatterns = [
    path(RUNS, runs.RunsView.as_view(), name="api-runs"),
    path(f"{RUNS}compare/", runs.CompareRunsView.as_view(), name="api-compare-runs"),
    path(RUN, runs.RunView.as_view(), name="api-run"),
    path(f"{RUN}generations/", runs.GenerationsView.as_view(), name="api-generations"),
    path(f"{RUN}cancel/", runs.CancelRunView.as_view(), name="api-cancel-run"),
    path(f"{RUN}resume/", runs.ResumeRunView.as_view(), name="api-resume-run"),
]
