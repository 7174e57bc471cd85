from django.contrib import admin
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from studies.admin import job_page
from studies.admin.base import Page, ReadOnlyAdmin, badge, moment
from studies.admin.job_page import BADGES
from studies.jobs import name_of
from studies.models import Job, JobState


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    """Heavy work: what it is, how far it has come, who asked for it and when."""

    list_display = ["what", "study", "stands", "progress", "message", "requested_by", "asked"]
    list_filter = ["state", "study"]
    list_select_related = ["study", "requested_by"]
    ordering = ["-pk"]
    row_page = job_page.show
    empty_title = _("No job yet")
    empty_text = _("Imports and launches run as jobs and are listed here.")
    empty_next = (_("See the studies"), "admin:studies_study_changelist")

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "<int:object_id>/live/": ("studies_job_live", job_page.live),
            "<int:object_id>/cancel/": ("studies_job_cancel", job_page.cancel),
        }

    @admin.display(description=_("job"), ordering="kind")
    def what(self, job: Job) -> str:
        return name_of(job.kind)

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
