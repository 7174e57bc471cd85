from django.urls import path

from studies.api import (
    exporting,
    jobs,
    members,
    participants,
    payments,
    responses,
    round_changes,
    rounds,
    stories,
    studies,
)

STUDY = "studies/<slug:study>/"
ROUND = f"{STUDY}rounds/<int:number>/"
RESPONSE = f"{STUDY}responses/<int:response_id>/"
urlpatterns = [
    path("studies/", studies.StudiesView.as_view(), name="api-studies"),
    path(STUDY, studies.StudyView.as_view(), name="api-study"),
    path(f"{STUDY}stories/", stories.StoriesView.as_view(), name="api-stories"),
    path(f"{STUDY}stories.ndjson", stories.StoryStreamView.as_view(), name="api-story-stream"),
    path(f"{STUDY}rounds/", rounds.RoundsView.as_view(), name="api-rounds"),
    path(f"{STUDY}rounds/estimate/", rounds.EstimateView.as_view(), name="api-estimate"),
    path(ROUND, rounds.RoundView.as_view(), name="api-round"),
    path(f"{ROUND}pause/", round_changes.PauseView.as_view(), name="api-round-pause"),
    path(f"{ROUND}resume/", round_changes.ResumeView.as_view(), name="api-round-resume"),
    path(f"{ROUND}extend/", round_changes.ExtendView.as_view(), name="api-round-extend"),
    path(f"{ROUND}close/", round_changes.CloseView.as_view(), name="api-round-close"),
    path(f"{ROUND}limit/", round_changes.LimitView.as_view(), name="api-round-limit"),
    path(f"{STUDY}responses/", responses.ResponsesView.as_view(), name="api-responses"),
    path(
        f"{STUDY}responses.ndjson",
        responses.ResponseStreamView.as_view(),
        name="api-response-stream",
    ),
    path(RESPONSE, responses.OneResponseView.as_view(), name="api-response"),
    path(
        f"{RESPONSE}approve-after-all/",
        payments.ApproveAfterAllView.as_view(),
        name="api-approve-after-all",
    ),
    path(f"{STUDY}responses/export/", exporting.ExportView.as_view(), name="api-export"),
    path(f"{STUDY}responses/approve/", payments.ApproveView.as_view(), name="api-approve"),
    path(f"{STUDY}responses/reject/", payments.RejectView.as_view(), name="api-reject"),
    path(f"{STUDY}payments/", payments.PaymentsView.as_view(), name="api-payments"),
    path(f"{STUDY}members/", members.MembersView.as_view(), name="api-members"),
    path(f"{STUDY}participants/", participants.ParticipantsView.as_view(), name="api-participants"),
    path(
        f"{STUDY}participants/suggested/",
        participants.SuggestionsView.as_view(),
        name="api-suggestions",
    ),
    path(
        f"{STUDY}participants/<slug:participant>/",
        participants.ParticipantView.as_view(),
        name="api-participant",
    ),
    path("jobs/<int:job>/", jobs.JobView.as_view(), name="api-job"),
    path("jobs/<int:job>/cancel/", jobs.CancelJobView.as_view(), name="api-job-cancel"),
]
