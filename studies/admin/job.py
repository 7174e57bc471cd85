from typing import Any

from django.contrib import admin
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from studies.admin.base import ReadOnlyAdmin
from studies.models import Job, JobState

KINDS = {
    "publish_round": _("Publish a round"),
    "import_stories": _("Import stories"),
    "import_responses": _("Import responses"),
    "export_responses": _("Export responses"),
}
BADGES = {
    JobState.QUEUED: "waiting",
    JobState.RUNNING: "waiting",
    JobState.DONE: "good",
    JobState.FAILED: "blocked",
    JobState.CANCELLED: "quiet",
}


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    """Heavy work: what it is, how far it has come, who asked for it and when."""

    list_display = ["what", "study", "stands", "progress", "message", "requested_by", "created_at"]
    list_filter = ["state", "study"]
    list_select_related = ["study", "requested_by"]
    ordering = ["-pk"]
    empty_title = _("No job yet")
    empty_text = _("Imports and launches run as jobs and are listed here.")
    empty_next = (_("See the studies"), "admin:studies_study_changelist")

    @admin.display(description=_("job"), ordering="kind")
    def what(self, job: Job) -> str:
        return str(KINDS.get(job.kind, job.kind))

    @admin.display(description=_("state"), ordering="state")
    def stands(self, job: Job) -> Any:
        state = JobState(job.state)
        return format_html('<span class="st-badge st-{}">{}</span>', BADGES[state], state.label)

    @admin.display(description=_("progress"))
    def progress(self, job: Job) -> str:
        if not job.total:
            return number_format(job.done) if job.done else "–"
        return str(_("%(done)s of %(total)s")) % {
            "done": number_format(job.done),
            "total": number_format(job.total),
        }
