from functools import partial
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from studies.admin import job_page
from studies.admin.base import ReadOnlyAdmin, badge, moment
from studies.admin.job_page import BADGES, KINDS
from studies.models import Job, JobState


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    """Heavy work: what it is, how far it has come, who asked for it and when."""

    list_display = ["what", "study", "stands", "progress", "message", "requested_by", "asked"]
    list_filter = ["state", "study"]
    list_select_related = ["study", "requested_by"]
    ordering = ["-pk"]
    empty_title = _("No job yet")
    empty_text = _("Imports and launches run as jobs and are listed here.")
    empty_next = (_("See the studies"), "admin:studies_study_changelist")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = {"live": job_page.live, "cancel": job_page.cancel}
        return [
            *(
                path(
                    f"<int:object_id>/{name}/",
                    view(partial(function, self)),
                    name=f"studies_job_{name}",
                )
                for name, function in own.items()
            ),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        return job_page.show(self, request, object_id)

    @admin.display(description=_("job"), ordering="kind")
    def what(self, job: Job) -> str:
        return str(KINDS.get(job.kind, job.kind))

    @admin.display(description=_("state"), ordering="state")
    def stands(self, job: Job) -> str:
        state = JobState(job.state)
        return badge(BADGES[state], state.label)

    @admin.display(description=_("progress"))
    def progress(self, job: Job) -> str:
        if not job.total:
            return number_format(job.done) if job.done else "–"
        return str(_("%(done)s of %(total)s")) % {
            "done": number_format(job.done),
            "total": number_format(job.total),
        }

    @admin.display(description=_("asked for"), ordering="created_at")
    def asked(self, job: Job) -> str:
        return moment(job.created_at)
