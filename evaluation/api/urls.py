from django.urls import path

from evaluation.api import (
    file_agreement,
    instruments,
    lineage,
    rating_rounds,
    reports,
    result_files,
)

ROUNDS = "studies/<slug:study>/evaluation-rounds/"
FILES = "studies/<slug:study>/result-files/"
REPORTS = "studies/<slug:study>/reports/"
urlpatterns = [
    path("instruments/", instruments.InstrumentsView.as_view(), name="api-instruments"),
    path(
        "instruments/<str:instrument>/",
        instruments.InstrumentView.as_view(),
        name="api-instrument",
    ),
    path(REPORTS, reports.ReportsView.as_view(), name="api-reports"),
    path(f"{REPORTS}<slug:report>/", reports.ReportView.as_view(), name="api-report"),
    path(
        f"{REPORTS}<slug:report>/scores/",
        reports.ScoreReportView.as_view(),
        name="api-report-scores",
    ),
    path(
        "studies/<slug:study>/file-agreement/",
        file_agreement.FileAgreementView.as_view(),
        name="api-file-agreement",
    ),
    path(FILES, result_files.ResultFilesView.as_view(), name="api-result-files"),
    path(
        f"{FILES}<int:result_file>/withdraw/",
        result_files.WithdrawResultsView.as_view(),
        name="api-result-withdraw",
    ),
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
