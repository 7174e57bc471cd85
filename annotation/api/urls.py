from django.urls import path

from annotation.api import (
    disputes,
    file_statistics,
    plan_parameters,
    plans,
    releases,
    reviews,
    standings,
    turns,
    withdrawals,
)

STUDY = "studies/<slug:study>/"
RELEASE = f"{STUDY}releases/<slug:name>/"
PLAN = f"{STUDY}review-plan/"
DESK = f"review/{STUDY}"
TURN = "review/turns/<int:turn>/"
urlpatterns = [
    path("review/studies/", turns.DesksView.as_view(), name="api-desks"),
    path("review/forms/<slug:task_type>/", turns.FormView.as_view(), name="api-review-form"),
    path(f"{DESK}next/", turns.NextView.as_view(), name="api-next-turn"),
    path(f"{DESK}put-off/", turns.PutOffView.as_view(), name="api-put-off"),
    path(f"{DESK}disputed/", disputes.DisputesView.as_view(), name="api-disputed"),
    path(f"{DESK}disputed/<slug:key>/", disputes.SettleView.as_view(), name="api-settle"),
    path(TURN, turns.TurnView.as_view(), name="api-turn"),
    path(f"{TURN}verdict/", turns.JudgeView.as_view(), name="api-verdict"),
    path(f"{TURN}undo/", turns.UndoView.as_view(), name="api-undo"),
    path(f"{TURN}later/", turns.LaterView.as_view(), name="api-later"),
    path(
        f"{STUDY}responses/<int:response_id>/review/",
        disputes.OpenSingleView.as_view(),
        name="api-open-single",
    ),
    path(
        f"{STUDY}participants/<slug:participant>/withdrawal/",
        withdrawals.WithdrawalView.as_view(),
        name="api-withdrawal",
    ),
    path(PLAN, plans.PlanView.as_view(), name="api-review-plan"),
    path(
        f"{PLAN}parameters/",
        plan_parameters.PlanParametersView.as_view(),
        name="api-plan-parameters",
    ),
    path(f"{PLAN}top-up/", plans.TopUpView.as_view(), name="api-top-up"),
    path(f"{PLAN}pools/", plans.PoolsView.as_view(), name="api-pools"),
    path(f"{STUDY}reviews/", reviews.ReviewsView.as_view(), name="api-reviews"),
    path(f"{STUDY}reviews.ndjson", reviews.ReviewStreamView.as_view(), name="api-review-stream"),
    path(f"{STUDY}standings/", standings.StandingsView.as_view(), name="api-standings"),
    path(f"{STUDY}standings/apply/", standings.ApplyView.as_view(), name="api-standings-apply"),
    path(
        f"{STUDY}file-statistics/",
        file_statistics.FileStatisticsView.as_view(),
        name="api-file-statistics",
    ),
    path(f"{STUDY}releases/", releases.ReleasesView.as_view(), name="api-releases"),
    path(RELEASE, releases.ReleaseView.as_view(), name="api-release"),
    path(f"{RELEASE}rows.ndjson", releases.ReleaseRowsView.as_view(), name="api-release-rows"),
    path(
        f"{RELEASE}statistics/",
        releases.ReleaseStatisticsView.as_view(),
        name="api-release-statistics",
    ),
    path(f"{RELEASE}verify/", releases.VerifyView.as_view(), name="api-release-verify"),
    path(f"{RELEASE}files/", releases.WriteFilesView.as_view(), name="api-release-write"),
    path(f"{RELEASE}files.zip", releases.ReleaseArchiveView.as_view(), name="api-release-files"),
]
