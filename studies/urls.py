from django.urls import URLPattern, URLResolver, include, path

from studies.views import notifications, recording, task

task_pages: list[URLPattern | URLResolver] = [
    path("draft/", task.save_draft, name="task-draft"),
    path("submit/", task.submit_task, name="task-submit"),
    path("send/", task.send_task, name="task-send"),
    path("recording/", recording.choose_recording, name="task-recording"),
    path("<uuid:public_id>/", task.open_task, name="task"),
    path("<uuid:public_id>/consent/", task.give_consent, name="task-consent"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("task/", include(task_pages)),
    path(
        "marketplace-notifications/",
        notifications.receive_notification,
        name="marketplace-notifications",
    ),
]
