from django.urls import URLPattern, URLResolver, path

from studies.views import notifications, recording, task

urlpatterns: list[URLPattern | URLResolver] = [
    path("task/<uuid:public_id>/", task.open_task, name="task"),
    path("task/<uuid:public_id>/consent/", task.give_consent, name="task-consent"),
    path("task/draft/", task.save_draft, name="task-draft"),
    path("task/recording/", recording.choose_recording, name="task-recording"),
    path("task/submit/", task.submit_task, name="task-submit"),
    path("task/send/", task.send_task, name="task-send"),
    path(
        "marketplace-notifications/",
        notifications.receive_notification,
        name="marketplace-notifications",
    ),
]
