from django.urls import path

from modeling.api import instances, runs

RUNS = "studies/<slug:study>/runs/"
RUN = f"{RUNS}<int:run>/"
urlpatterns = [
    path(
        "studies/<slug:study>/releases/<slug:name>/instances.ndjson",
        instances.InstancesView.as_view(),
        name="api-instances",
    ),
    path(RUNS, runs.RunsView.as_view(), name="api-runs"),
    path(f"{RUNS}compare/", runs.CompareRunsView.as_view(), name="api-compare-runs"),
    path(RUN, runs.RunView.as_view(), name="api-run"),
    path(f"{RUN}generations/", runs.GenerationsView.as_view(), name="api-generations"),
    path(f"{RUN}cancel/", runs.CancelRunView.as_view(), name="api-cancel-run"),
    path(f"{RUN}resume/", runs.ResumeRunView.as_view(), name="api-resume-run"),
]
